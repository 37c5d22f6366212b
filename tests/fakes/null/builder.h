#pragma once

#include <string>
#include <string_view>

#include "kmux/plugin/backend.h"

namespace kmux::null {

/// Packs launcher and sources into an artifact; a real backend calls its compiler here.
///
/// Threads: any.
class NullBuilder final : public Builder {
 public:
  explicit NullBuilder(std::string backend) : backend_(std::move(backend)) {}
  Result<std::string> toolchain(const Target& target, const Options& options) override;
  /// Errors: compile_failed if the sources do not contain the name of the kernel.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  std::string backend_;
};

}  // namespace kmux::null
