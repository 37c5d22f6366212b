#pragma once

#include <string>
#include <vector>

#include "kmux/plan.h"

#include "nvidia/launch/plan_facts.h"

namespace kmux::nvidia {

/// Whether the option `graph` is on.
enum class GraphOption { kOff, kOn };

/// The facts of a plan, with the storage behind them.
class Facts {
 public:
  /// `symbols` has the symbol of each kernel of the plan in the code.
  Facts(const Plan& plan, std::vector<std::string> symbols, GraphOption graph);
  Facts(Facts&&) = default;
  Facts& operator=(Facts&&) = default;

  const PlanFacts& view() const { return facts_; }

 private:
  std::vector<std::string> symbols_;
  std::vector<KernelFacts> kernels_;
  PlanFacts facts_{};
};

/// Can a graph of fixed shape stand for the body? At least two launches; no guard, no loop, no L2 window, no programmatic
/// serialization, nothing cooperative.
bool can_replay(const Plan& plan);

}  // namespace kmux::nvidia
