#include "entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvidia/facts.h"
#include "workbench.h"

namespace kmux::cutedsl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Entries entries_of(const ProgramBuilder& builder) { return make_entries(builder.build().value(), 0).value(); }

TEST(EntriesTest, EqualLaunchesShareOneEntry) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  builder.launch("shift").grid({1}).block({128}).args({"x"}).arg(7);
  builder.launch("scale").grid({5}).block({128}).dynamic_smem_bytes(100).args({"x"});
  const Entries entries = entries_of(builder);
  EXPECT_THAT(entries.plan.kernels, ElementsAre("scale", "shift"));
  ASSERT_EQ(entries.list.size(), 2u);
  EXPECT_EQ(entries.list[0].dynamic_smem_bytes, 100);
  EXPECT_EQ(std::get<PlanLaunch>(entries.plan.steps[2]).kernel, 0u);
}

TEST(EntriesTest, HostFunctionsFollowKernels) {
  ProgramBuilder builder = vector_program("");
  builder.launch("softmax").args({"x"});
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  builder.launch("softmax").args({"x"});
  builder.launch("softmax").args({"x"}).arg(7);
  const Entries entries = entries_of(builder);
  EXPECT_THAT(entries.plan.kernels, ElementsAre("scale"));
  ASSERT_EQ(entries.hosts.size(), 2u);
  const auto launch = [&](std::size_t step) { return std::get<PlanLaunch>(entries.plan.steps[step]); };
  EXPECT_EQ(launch(0).kernel, 1u);
  EXPECT_EQ(launch(1).kernel, 0u);
  EXPECT_EQ(launch(2).kernel, 1u);
  EXPECT_EQ(launch(3).kernel, 2u);
  EXPECT_EQ(entries.of(launch(3)).parameters.size(), 2u);
  EXPECT_TRUE(calls_host_function(entries.plan, launch(0)));
  EXPECT_FALSE(calls_host_function(entries.plan, launch(1)));
  EXPECT_FALSE(can_replay(entries.plan));
}

TEST(EntriesTest, RejectLaunchOptionsOfHostFunctions) {
  const auto refused = [](const auto& add) {
    ProgramBuilder builder = vector_program("");
    LaunchBuilder launch = builder.launch("softmax").args({"x"});
    add(launch);
    const auto entries = make_entries(builder.build().value(), 0);
    return entries ? "it was taken" : entries.error().message;
  };
  const auto without = [](const std::string& what) {
    return HasSubstr("\"softmax\" is launched with " + what + " and without grid and block");
  };
  EXPECT_THAT(refused([](LaunchBuilder& launch) { launch.cluster({2}); }), without("a cluster"));
  EXPECT_THAT(refused([](LaunchBuilder& launch) { launch.dynamic_smem_bytes(64); }), without("dynamic shared memory"));
  EXPECT_THAT(refused([](LaunchBuilder& launch) { launch.cooperative(); }), without("cooperation"));
  EXPECT_THAT(refused([](LaunchBuilder& launch) { launch.programmatic_serialization(); }),
              without("programmatic serialization"));
}

TEST(EntriesTest, RejectUnsupportedScalarTypes) {
  ProgramBuilder builder = vector_program("");
  builder.scalar("s", dtype::kFloat8E4M3FN);
  builder.launch("scale").grid({1}).block({128}).args({"x", "s"});
  const auto refused = make_entries(builder.build().value(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

TEST(EntriesTest, DifferentBlocksOrClustersGetSeparateEntries) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  builder.launch("scale").grid({1}).block({64}).args({"x"});
  builder.launch("scale").grid({2}).block({128}).cluster({2}).args({"x"});
  builder.launch("scale").grid({1}).block({Expr::symbol("n")}).args({"x"});
  const Entries entries = entries_of(builder);
  EXPECT_THAT(entries.plan.kernels, ElementsAre("scale", "scale (2)", "scale (3)", "scale (4)"));
  EXPECT_EQ(entries.list[1].block, (Entry::Extents{64, 1, 1}));
  EXPECT_EQ(entries.list[2].cluster, (Entry::Extents{2, 1, 1}));
  EXPECT_FALSE(entries.list[3].block);
}

TEST(EntriesTest, DescribeEachParameter) {
  ProgramBuilder builder = vector_program("");
  builder.pointer("p").scalar("h", dtype::kFloat16);
  builder.workspace("w", 64);
  builder.launch("mix").grid({1}).block({32}).args({"x", "p", "h", "w"}).arg(Expr::symbol("n"), dtype::kInt64);
  const TensorParameter x{dtype::kFloat32, {std::nullopt}, {1}, 4};
  EXPECT_THAT(entries_of(builder).list[0].parameters,
              ElementsAre(Parameter(x), Parameter(PointerParameter{1}), Parameter(ValueParameter{dtype::kFloat16}),
                          Parameter(PointerParameter{256}), Parameter(ValueParameter{dtype::kInt64})));
}

TEST(EntriesTest, AlignmentFollowsOffset) {
  ProgramBuilder builder("sample");
  builder.buffer("x", BufferParam{.dtype = dtype::kFloat32, .shape = {64}, .alignment_bytes = 16}).variant("cutedsl");
  builder.source("kernels.py", "");
  builder.launch("k").grid({1}).block({32}).args({"x"}).arg(TensorArg{"x", 8});
  const auto parameters = entries_of(builder).list[0].parameters;
  EXPECT_EQ(std::get<TensorParameter>(parameters[0]).alignment_bytes, 16);
  EXPECT_EQ(std::get<TensorParameter>(parameters[1]).alignment_bytes, 8);
}

TEST(EntriesTest, BindLayoutNames) {
  ProgramBuilder builder = vector_program("");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  const Plan plan = entries_of(builder).plan;
  ASSERT_EQ(plan.bindings.size(), 1u);
  EXPECT_EQ(plan.bindings[0].name, "n");
  EXPECT_EQ(plan.bindings[0].slot, 1u);
}

TEST(EntriesTest, RejectUnsupportedTensorTypes) {
  ProgramBuilder builder("sample");
  builder.buffer("x", BufferParam{parse_dtype("float16x4").value(), {64}}).variant("cutedsl").source("k.py", "");
  builder.launch("k").grid({1}).block({32}).args({"x"});
  const auto refused = make_entries(builder.build().value(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("argument 0 of \"k\" is of float16x4"));
}

}  // namespace
}  // namespace kmux::cutedsl
