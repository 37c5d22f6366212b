#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plan_runner.h"
#include "kmux/plugin/plugin.hpp"

#include "facts.h"
#include "launch/launcher.h"
#include "meta.h"

namespace kmux::hip {

/// A loaded kernel: the launch layer runs the plan.
///
/// Threads: any, concurrently.
class HipAdapter final : public Adapter {
 public:
  HipAdapter(Host host, std::string code, Facts facts, PlanRunner runner);

  Status prepare(int device) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override;
  LaunchEntry entry() noexcept override;

 private:
  static kmux_code launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  Log log();

  Host host_;
  std::string code_;
  Facts facts_;
  PlanRunner runner_;
  Launcher launcher_;  // borrows what is above
};

/// Makes an adapter of what the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host);

/// What an artifact of backend hip holds, read.
struct LoadedParts {
  std::string code;
  Plan plan;
  std::vector<KernelMeta> kernels;  // of the plan, in its order
};

/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<LoadedParts> read_parts(const Artifact& artifact);

}  // namespace kmux::hip
