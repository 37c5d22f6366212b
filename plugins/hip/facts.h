#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kmux/plugin/plan.h"

#include "launch/device_code.h"
#include "meta.h"

namespace kmux::hip {

/// The facts of a plan, with the storage behind them.
class Facts {
 public:
  /// `kernels` are those of the plan, in its order. `ranges`: show calls and launches to profilers.
  Facts(const Plan& plan, std::vector<KernelMeta> kernels, bool ranges = false)
      : name_(std::make_unique<const std::string>(plan.name)), metas_(std::move(kernels)) {
    for (const KernelMeta& meta : metas_) {
      kernels_.push_back({meta.symbol.c_str(), 0, meta.static_smem_bytes, meta.max_threads});
    }
    for_each_launch(plan.steps, [this](const PlanLaunch& launch) {
      KernelFacts& facts = kernels_[launch.kernel];
      facts.dynamic_smem_bytes = std::max(facts.dynamic_smem_bytes, constant_of(launch.dynamic_smem_bytes));
    });
    view_ = {name_->c_str(), kernels_.data(), static_cast<unsigned>(kernels_.size()), ranges};
  }
  Facts(Facts&&) noexcept = default;
  Facts& operator=(Facts&&) noexcept = default;

  const PlanFacts& view() const { return view_; }

 private:
  static unsigned long long constant_of(const Expr& bytes) {
    return bytes.is_constant() && bytes.constant() > 0 ? static_cast<unsigned long long>(bytes.constant()) : 0;
  }

  std::unique_ptr<const std::string> name_;  // its characters stay where they are
  std::vector<KernelMeta> metas_;
  std::vector<KernelFacts> kernels_;
  PlanFacts view_{};
};

}  // namespace kmux::hip
