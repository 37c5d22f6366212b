#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "kmux/plugin/backend.h"

namespace kmux::null {

/// A loaded kernel whose launches only count.
///
/// Threads: any, concurrently.
class NullAdapter final : public Adapter {
 public:
  Status prepare(int device) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override;

 private:
  std::atomic<std::uint64_t> launches_{0};
};

/// Loads an artifact of the builder.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact);

}  // namespace kmux::null
