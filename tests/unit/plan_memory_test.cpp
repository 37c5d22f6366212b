#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/plugin/plan.h"

namespace kmux {
namespace {

TEST(PlanMemoryTest, ListsTensorsPointersAndWorkspacesWithSizes) {
  ProgramBuilder builder("sample");
  const Expr m = builder.symbol("m");
  builder.buffer("x", BufferParam{dtype::kFloat16, {m, 4}});
  builder.scalar("s", dtype::kFloat32);
  builder.pointer("p");
  builder.buffer("y", BufferParam{dtype::kFloat32, {3, 4}, std::vector<Expr>{Expr(10), Expr(1)}});
  builder.variant("cuda").source("k.cu", "").workspace("w", 128);
  builder.launch("k").grid({Expr(1)}).block({Expr(1)}).args({"x", "y", "p", "w"});
  const Program program = builder.build().value();
  Plan plan = lower(program, 0).value();
  ASSERT_TRUE(plan.bindings.empty());

  const std::vector<PlanMemory> memory = bind_memory(program.signature, plan);
  ASSERT_EQ(memory.size(), 4U);
  EXPECT_EQ(memory[0].name, "x");
  EXPECT_EQ(to_string(*memory[0].bytes), "m * 4 * 2");
  EXPECT_EQ(memory[1].name, "p");
  EXPECT_FALSE(memory[1].bytes.has_value());
  EXPECT_EQ(memory[2].name, "y");
  EXPECT_EQ(memory[2].address, (PlanAddress{PlanAddress::Source::kSlot, 3, 0}));
  EXPECT_EQ(memory[2].bytes, Expr(96)) << "to the end of the last element";
  EXPECT_EQ(memory[3].name, "w");
  EXPECT_EQ(memory[3].address, (PlanAddress{PlanAddress::Source::kWorkspace, 0, 0}));
  EXPECT_EQ(memory[3].bytes, Expr(128));
  ASSERT_EQ(plan.bindings.size(), 1U) << "the size of x";
  EXPECT_EQ(plan.bindings[0].name, "m");
}

}  // namespace
}  // namespace kmux
