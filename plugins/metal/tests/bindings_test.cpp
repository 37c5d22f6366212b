#include "bindings.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;

Plan plan_of(ProgramBuilder& builder) { return lower(builder.build().value(), 0).value(); }

TEST(BindingsTest, EachArgumentHasItsBufferIndex) {
  ProgramBuilder builder = one_kernel(kAddOne);
  const auto bindings = bindings_of(plan_of(builder)).value();
  ASSERT_EQ(bindings.size(), 1U);
  EXPECT_EQ(bindings[0].addresses.at(0).index, 0U);
  EXPECT_EQ(bindings[0].values.at(0).index, 1U);
  EXPECT_EQ(bindings[0].values.at(0).bytes, 4U);
}

ProgramBuilder packed() {
  ProgramBuilder builder("packed");
  const Expr n = builder.symbol("n");
  builder.scalar("s", dtype::kFloat32);
  builder.input("x", dtype::kFloat32, {n}).variant("msl").source("k.metal", kAddOne);
  builder.launch("k")
      .grid({n})
      .block({1})
      .arg(n, dtype::kInt32)
      .args({"x", "s"})
      .dynamic_smem_bytes(64)
      .packed_values();
  return builder;
}

TEST(BindingsTest, PackedValuesFollowAddresses) {
  ProgramBuilder builder = packed();
  const auto bindings = bindings_of(plan_of(builder)).value();
  EXPECT_EQ(bindings[0].addresses.at(0).argument, 1U);
  EXPECT_EQ(bindings[0].addresses.at(0).index, 0U);
  EXPECT_THAT(bindings[0].packed, testing::ElementsAre(0, 2));
  EXPECT_EQ(bindings[0].packed_index, 1U);
}

TEST(BindingsTest, PrintLaunchOnOneLine) {
  ProgramBuilder builder = packed();
  const Plan plan = plan_of(builder);
  EXPECT_EQ(
      to_string(bindings_of(plan).value(), plan),
      "metal\n  k: buffer(0) x, bytes(1) {int32(n), s}, 8 bytes each, threadgroup(0) 64 bytes; threadgroups (n, 1, 1) "
      "of threads (1, 1, 1)\n");
}

TEST(BindingsTest, MoreThan31BuffersAreRejected) {
  ProgramBuilder builder("many");
  builder.input("x", dtype::kFloat32, {1}).variant("msl").source("k.metal", "");
  LaunchBuilder launch = builder.launch("wide").grid({1}).block({1});
  for (int i = 0; i < 32; ++i) launch.args({"x"});
  const Error error = bindings_of(plan_of(builder)).error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, testing::AllOf(HasSubstr("\"wide\" takes 32 buffers"), HasSubstr("at most 31")));
}

TEST(BindingsTest, TooManyPackedValuesAreRejected) {
  ProgramBuilder builder("many");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("msl").source("k.metal", "");
  LaunchBuilder launch = builder.launch("wide").grid({1}).block({1}).packed_values();
  for (int i = 0; i < 513; ++i) launch.arg(n, dtype::kInt32);
  EXPECT_THAT(bindings_of(plan_of(builder)).error().message, HasSubstr("513 packed values"));
}

}  // namespace
}  // namespace kmux::metal
