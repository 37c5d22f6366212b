#pragma once

#include <memory>
#include <utility>

#include "kmux/plugin/plan_adapter.h"

#include "call.h"
#include "gpu.h"

namespace kmux::metal {

/// A program on the GPU.
struct LoadedProgram {
  std::shared_ptr<Gpu> gpu;
  Launchable launchable;
};

/// Encodes the launches of each call into one command buffer.
///
/// Threads: thread-safe.   Lifetime: the program must outlive the object.
class Launcher {
 public:
  explicit Launcher(const LoadedProgram& program) : program_(program) {}

  int prepare(int device, kmux_sink error);
  template <class Body>
  int call(const kmux_launch_env& env, kmux_sink error, Body&& body) {
    if (const int code = prepare(env.device, error)) return code;
    Call call(*program_.gpu, program_.launchable, env);
    return call.finish(body(call.env(), error));
  }
  int launch(const kmux_launch_env& env, const kmux_driver_launch& launch, kmux_sink error) {
    if (const int code = prepare(env.device, error)) return code;
    Call call(*program_.gpu, program_.launchable, env);
    return call.finish(call.launch(launch, error));
  }

 private:
  const LoadedProgram& program_;
};

/// A loaded program: runs its plan, with one command buffer for each call.
///
/// Threads: thread-safe.
class MetalAdapter final : public PlanAdapter<LoadedProgram, Launcher> {
 public:
  MetalAdapter(LoadedProgram program, PlanRunner runner)
      : PlanAdapter(std::move(program), std::move(runner),
                    [](const LoadedProgram& loaded) { return Launcher(loaded); }) {}

 private:
  kmux_code launch_nothing(const kmux_launch_env& env, kmux_sink error) override {
    return static_cast<kmux_code>(launcher().prepare(env.device, error));
  }
};

/// Returns an adapter for an artifact that the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete; compile_failed as `load_kernels`.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, std::shared_ptr<Gpu> gpu);

}  // namespace kmux::metal
