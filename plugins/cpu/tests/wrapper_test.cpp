#include "wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu {
namespace {

using testing::HasSubstr;

Result<std::string> wrap(const ProgramBuilder& builder, Options options = {}) {
  FakeHost host;
  CpuWrapper wrapper(host);
  const Program program = builder.build().value();
  return wrapper.wrap({program, 0, Target{"cpu", "x86-64", {}}, std::move(options)});
}

TEST(WrapperTest, DeclaresKernelsByArguments) {
  ProgramBuilder builder("sample");
  builder.buffer("x", BufferParam{dtype::kFloat32, {4}});
  builder.scalar("s", dtype::kFloat16);
  builder.variant("c").source("k.c", "");
  builder.launch("k").args({"x", "s"}).arg(7, dtype::kInt64).returns_int32();
  EXPECT_THAT(wrap(builder).value(),
              HasSubstr("extern \"C\" int kmux_kernel_0(void*, unsigned short, long long) __asm__(\"k\");"));
}

TEST(WrapperTest, CallsKernelsWithReservedNames) {
  Workbench bench;
  for (const std::string name : {"slots", "template", "out", "memset"}) {
    ProgramBuilder builder("sample");
    builder.output("out", dtype::kInt32, {4}).variant("c");
    builder.source("k.c", "void " + name + "(int* p) { p[0] = 5; }");
    builder.launch(name).args({"out"});
    auto program = builder.build();
    if (!program) continue;  // validation rejects the name
    auto kernel = bench.load(*program);
    int out[4] = {};
    ASSERT_TRUE(kernel.value()({slot(out)}).ok()) << name;
    EXPECT_EQ(out[0], 5) << name;
  }
}

TEST(WrapperTest, RejectsConflictingLaunchTypes) {
  ProgramBuilder builder("sample");
  builder.variant("c").source("k.c", "");
  builder.launch("k").arg(1, dtype::kInt32);
  builder.launch("k").arg(1, dtype::kInt64);
  const auto text = wrap(builder);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(text.error().message, HasSubstr("kernel \"k\" is launched twice with different types"));
}

TEST(WrapperTest, PassesMemoryExtentsOfCheckedKernels) {
  ProgramBuilder builder("sample");
  const Expr m = builder.symbol("m");
  builder.buffer("x", BufferParam{dtype::kFloat32, {m, 4}, std::vector<Expr>{Expr(8), Expr(1)}}).pointer("p");
  builder.variant("cuda").workspace("w", m * 2).source("k.cu", "");
  builder.launch("k").grid({Expr(1)}).block({Expr(32)}).args({"x", "p", "w"}).dynamic_smem_bytes(100);
  const std::string text = wrap(builder, {{"check", "on"}}).value();
  EXPECT_THAT(text, HasSubstr("const long long m = slots[2].i64;"));
  EXPECT_THAT(text, HasSubstr("const kmux_cpu_extent kmux_extents[] = {{\"x\", "));
  EXPECT_THAT(text, HasSubstr("{\"p\", slots[1].ptr, ~0ULL}"));
  EXPECT_THAT(text, HasSubstr("kmux_cpu_memory(kmux_extents, 3, (unsigned long long)(100));"));
  EXPECT_THAT(wrap(builder).value(), testing::Not(HasSubstr("kmux_cpu_memory")));
}

TEST(WrapperTest, DeterminesCommonBlockExtents) {
  ProgramBuilder builder("sample");
  const Expr threads = builder.scalar("threads", dtype::kInt32);
  builder.variant("cuda").source("k.cu", "");
  const auto launch = [&](const std::string& kernel, const std::vector<Expr>& block) {
    builder.launch(kernel).grid({Expr(1)}).block(block);
  };
  launch("row", {threads});
  launch("box", {Expr(32), threads, Expr(2)});
  launch("two", {Expr(64), Expr(4)});
  launch("two", {Expr(32), Expr(4)});
  launch("known", {Expr(16), Expr(8), Expr(4)});
  const Program program = builder.build().value();
  const simt::BlockExtents blocks = launched_blocks({program, 0, Target{"cpu", "x86-64", {}}, {}}).value();
  const simt::BlockExtents wanted = {
      {"row", {0, 1, 1}}, {"box", {32, 0, 2}}, {"two", {0, 4, 1}}, {"known", {16, 8, 4}}};
  EXPECT_EQ(blocks, wanted);
}

TEST(WrapperTest, RejectsUnknownOptions) {
  const auto text = wrap(one_kernel("k.c", ""), {{"engin", "clang"}});
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("option \"engin\" is not known"));
}

}  // namespace
}  // namespace kmux::cpu
