#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plan_runner.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/facts.h"
#include "nvidia/launch/launcher.h"

namespace kmux::nvrtc {

/// A loaded kernel: the launch layer runs the plan.
///
/// Threads: any, concurrently.
class NvrtcAdapter final : public Adapter {
 public:
  NvrtcAdapter(Host host, std::string code, nvidia::Facts facts, PlanRunner runner);

  Status prepare(int device) override;
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override;
  LaunchEntry entry() noexcept override;

 private:
  static kmux_code launch_single(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
  static kmux_code launch_mapped(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);

  Host host_;
  std::string code_;
  nvidia::Facts facts_;
  PlanRunner runner_;
  std::vector<nvidia::MapArgument> maps_;  // of a plan that is one launch
  nvidia::Launcher launcher_;  // borrows what is above
};

/// Makes an adapter of what the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host);

}  // namespace kmux::nvrtc
