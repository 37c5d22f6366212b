#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/plan_adapter.h"
#include "kmux/plugin/plugin.hpp"

#include "launch/launcher.h"
#include "meta.h"

namespace kmux::hip {

/// The user's choices for launches, besides the plan.
struct LaunchChoices {
  bool graph = false;  // option `graph`
  bool ranges = false;  // show calls and launches to profilers
};

/// Owns the facts of a plan: `view` is valid as long as the object.
class Facts {
 public:
  /// `kernels` must be those of the plan, in its order.
  Facts(const Plan& plan, std::vector<KernelMeta> kernels, LaunchChoices choices = {})
      : name_(std::make_unique<const std::string>(plan.name)), metas_(std::move(kernels)) {
    for (const KernelMeta& meta : metas_) {
      kernels_.push_back({meta.symbol.c_str(), 0, meta.static_smem_bytes, meta.max_threads});
    }
    for_each_launch(plan.steps, [this](const PlanLaunch& launch) {
      KernelFacts& facts = kernels_[launch.kernel];
      facts.dynamic_smem_bytes = std::max(facts.dynamic_smem_bytes, constant_of(launch.dynamic_smem_bytes));
    });
    view_ = {name_->c_str(), kernels_.data(), static_cast<unsigned>(kernels_.size()), choices.ranges};
    if (choices.graph && can_replay(plan)) add_steps(plan);
  }
  Facts(Facts&&) noexcept = default;
  Facts& operator=(Facts&&) noexcept = default;

  const PlanFacts& view() const { return view_; }

 private:
  // Uses the plan's sizes: the build has checked them against the code, if the code has sizes.
  void add_steps(const Plan& plan) {
    sizes_.resize(plan.step_count);
    for_each_launch(plan.steps, [this](const PlanLaunch& launch) { sizes_[launch.step] = passed_bytes(launch); });
    for (const std::vector<unsigned>& sizes : sizes_) {
      steps_.push_back({sizes.data(), static_cast<unsigned>(sizes.size())});
    }
    view_.replay = true;
    view_.steps = steps_.data();
    view_.step_count = static_cast<unsigned>(steps_.size());
  }
  static unsigned long long constant_of(const Expr& bytes) {
    return bytes.is_constant() && bytes.constant() > 0 ? static_cast<unsigned long long>(bytes.constant()) : 0;
  }

  std::unique_ptr<const std::string> name_;  // a move keeps the address of its characters
  std::vector<KernelMeta> metas_;
  std::vector<KernelFacts> kernels_;
  std::vector<std::vector<unsigned>> sizes_;  // of each step; none for a fill
  std::vector<StepFacts> steps_;  // for a replay
  PlanFacts view_{};
};

/// The code of a program, and its facts.
struct LoadedKernel {
  Host host;
  std::string code;
  Facts facts;
  std::vector<ConstantSymbol> constants = {};
};

/// A loaded kernel: the launch layer runs the plan.
///
/// Threads: thread-safe.
class HipAdapter final : public PlanAdapter<LoadedKernel, Launcher> {
 public:
  HipAdapter(LoadedKernel kernel, PlanRunner runner);

  Result<ConstantPlace> constant(int device, std::string_view name) override;
};

/// Returns an adapter for an artifact that the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, Host host);

/// The parsed parts of an artifact of backend hip.
struct LoadedParts {
  std::string code;
  Plan plan;
  std::vector<KernelMeta> kernels;  // of the plan, in its order
  bool graph = false;  // option `graph`
};

/// Parses the parts of `artifact`.
///
/// Errors: invalid_argument if the artifact is of another backend or incomplete.
Result<LoadedParts> read_parts(const Artifact& artifact);

}  // namespace kmux::hip
