#pragma once

#include <memory>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan_runner.h"

#include "call.h"
#include "gpu.h"

namespace kmux::metal {

/// A loaded program: runs its plan into one command buffer a call.
///
/// Threads: any, concurrently.
class MetalAdapter final : public Adapter {
 public:
  MetalAdapter(std::shared_ptr<Gpu> gpu, Launchable program, PlanRunner runner)
      : gpu_(std::move(gpu)), program_(std::move(program)), runner_(std::move(runner)) {}

  Status prepare(int device) override { return check_device(device); }
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override;
  LaunchEntry entry() noexcept override;

 private:
  static kmux_code launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);

  std::shared_ptr<Gpu> gpu_;
  Launchable program_;
  PlanRunner runner_;
};

/// Makes an adapter of what the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete; compile_failed as `load_kernels`.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, std::shared_ptr<Gpu> gpu);

}  // namespace kmux::metal
