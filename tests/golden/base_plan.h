#pragma once

#include <utility>
#include <vector>

#include "kmux/builder.h"
#include "kmux/plugin/plan.h"

namespace kmux::test {

/// Returns a plan over buffer A in slot 0, scalar `s` of type `type` in slot 1 and symbol n in slot 2.
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

/// Returns a launch of one warp a block.
inline PlanLaunch launch_of(std::size_t kernel, Expr grid = 1, std::vector<PlanArg> args = {}) {
  PlanLaunch launch;
  launch.kernel = kernel;
  launch.grid = {std::move(grid), 1, 1};
  launch.block = {32, 1, 1};
  launch.args = std::move(args);
  return launch;
}

/// Returns the plan of a program over buffer A of n floats, scalar s of 32 bits and symbol n, in the slots of
/// `base_plan`. It launches a kernel, then runs the steps that `steps` adds.
template <class Steps>
Plan filling_plan(const Steps& steps) {
  ProgramBuilder program("test");
  const Expr n = program.symbol("n");
  program.input("A", dtype::kFloat32, {n});
  const Expr s = program.scalar("s", dtype::kInt32);
  program.variant("cuda").source("k.cu", "").launch("k").grid({1}).block({32});
  steps(program.body(), n, s);
  return lower(program.build().value(), 0).value();
}

/// Returns a plan with a launch that takes a workspace "w" of n bytes.
inline Plan plan_with_alignment(std::int64_t alignment_bytes) {
  Plan plan = base_plan();
  plan.workspaces = {{"w", Expr::symbol("n"), alignment_bytes}};
  plan.steps = {launch_of(0, 1, {PlanAddress{PlanAddress::Source::kWorkspace, 0, 0}})};
  return plan;
}

}  // namespace kmux::test
