#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plan_adapter.h"
#include "kmux/plugin/plugin.hpp"

#include "facts.h"
#include "launch/launcher.h"
#include "meta.h"

namespace kmux::hip {

/// The code of a program, and what is known of it.
struct LoadedKernel {
  Host host;
  std::string code;
  Facts facts;
  std::vector<ConstantSymbol> constants = {};
};

/// A loaded kernel: the launch layer runs the plan.
///
/// Threads: any, concurrently.
class HipAdapter final : public PlanAdapter<LoadedKernel, Launcher> {
 public:
  HipAdapter(LoadedKernel kernel, PlanRunner runner);

  Result<ConstantPlace> constant(int device, std::string_view name) override;
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
