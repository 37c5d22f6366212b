#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

#include "launch/device_code.h"
#include "meta.h"

namespace kmux::hip {

/// The facts of a plan, with the storage behind them.
class Facts {
 public:
  /// `kernels` are those of the plan, in its order.
  Facts(const Plan& plan, std::vector<KernelMeta> kernels);
  Facts(Facts&&) noexcept = default;
  Facts& operator=(Facts&&) noexcept = default;

  const PlanFacts& view() const { return view_; }

 private:
  std::unique_ptr<const std::string> name_;  // its characters stay where they are
  std::vector<KernelMeta> metas_;
  std::vector<KernelFacts> kernels_;
  PlanFacts view_{};
};

}  // namespace kmux::hip
