#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan_adapter.h"
#include "kmux/plugin/plugin.hpp"

#include "nvidia/facts.h"
#include "nvidia/launch/launcher.h"

namespace kmux::nvrtc {

/// The code of a program, and its facts.
struct LoadedKernel {
  Host host;
  std::string code;
  nvidia::Facts facts;
  std::vector<ConstantSymbol> constants = {};
};

/// A loaded kernel: the launch layer runs the plan.
///
/// Threads: thread-safe.
class NvrtcAdapter final : public PlanAdapter<LoadedKernel, nvidia::Launcher> {
 public:
  NvrtcAdapter(LoadedKernel kernel, PlanRunner runner);

  LaunchEntry entry() noexcept override;
  Result<ConstantPlace> constant(int device, std::string_view name) override;

 private:
  static kmux_code launch_mapped(void* self, const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);

  std::vector<nvidia::MapArgument> maps_;  // of a plan that is one launch
};

/// Returns an adapter for an artifact that the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host);

}  // namespace kmux::nvrtc
