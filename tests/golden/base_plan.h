#pragma once

#include <utility>
#include <vector>

#include "kmux/plan.h"

namespace kmux::testing {

/// A plan over buffer A in slot 0, scalar `s` of type `type` in slot 1 and symbol n in slot 2.
inline Plan base_plan(DType type = dtype::kInt32) {
  Plan plan;
  plan.name = "test";
  plan.slots = {{SlotKind::kTensor, "A", dtype::kFloat32},
                {SlotKind::kScalar, "s", type},
                {SlotKind::kSymbol, "n", dtype::kInt64}};
  plan.bindings = {{"n", 2, dtype::kInt64}};
  plan.kernels = {"k0", "k1"};
  return plan;
}

/// A launch of one warp a block.
inline PlanLaunch launch_of(std::size_t kernel, Expr grid = 1, std::vector<PlanArg> args = {}) {
  PlanLaunch launch;
  launch.kernel = kernel;
  launch.grid = {std::move(grid), 1, 1};
  launch.block = {32, 1, 1};
  launch.args = std::move(args);
  return launch;
}

/// A launch that is passed a workspace "w" of n bytes.
inline Plan plan_with_alignment(std::int64_t alignment_bytes) {
  Plan plan = base_plan();
  plan.workspaces = {{"w", Expr::symbol("n"), alignment_bytes}};
  plan.steps = {launch_of(0, 1, {PlanAddress{PlanAddress::Source::kWorkspace, 0, 0}})};
  return plan;
}

}  // namespace kmux::testing
