#include "msl_text.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace kmux::fake_metal {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(MslTextTest, FindsKernelsInEverySpelling) {
  const MslText text = translate(
      "kernel void a() {}\n[[kernel]] void b() {}\n[[kernel, max_total_threads_per_threadgroup(64)]]\nvoid c() {}\n");
  ASSERT_EQ(text.kernels.size(), 3U);
  EXPECT_EQ(text.kernels[0].name + text.kernels[1].name + text.kernels[2].name, "abc");
  EXPECT_EQ(text.kernels[0].max_threads, 1024U);
  EXPECT_EQ(text.kernels[2].max_threads, 64U);
}

TEST(MslTextTest, ReadsArgumentAttributes) {
  const MslText text = translate(
      "kernel void k(device float* x [[buffer(3)]], threadgroup float* t [[ threadgroup(1) ]],\n"
      "  uint i [[thread_position_in_grid]]) {}");
  ASSERT_EQ(text.kernels.at(0).arguments.size(), 3U);
  EXPECT_EQ(text.kernels[0].arguments[0].attribute, "buffer");
  EXPECT_EQ(text.kernels[0].arguments[0].index, 3U);
  EXPECT_EQ(text.kernels[0].arguments[1].attribute, "threadgroup");
  EXPECT_EQ(text.kernels[0].arguments[1].index, 1U);
  EXPECT_EQ(text.kernels[0].arguments[2].attribute, "thread_position_in_grid");
}

TEST(MslTextTest, TranslatesThreadgroupVariables) {
  const MslText text = translate(
      "kernel void f() { threadgroup float a[4][4]; threadgroup int b, c[2]; threadgroup float* p = a[0];\n"
      "  g((threadgroup char*)p); }\nvoid g(threadgroup char* p) {}\n");
  EXPECT_THAT(text.cpp, HasSubstr("__shared__ float a[4][4]; KMUX_MSL_SHARED(f, a);"));
  EXPECT_THAT(text.cpp, HasSubstr("__shared__ int b, c[2]; KMUX_MSL_SHARED(f, b); "
                                  "KMUX_MSL_SHARED(f, c);"));
  EXPECT_THAT(text.cpp, HasSubstr(" float* p = a[0];"));
  EXPECT_THAT(text.cpp, Not(HasSubstr("threadgroup")));
}

TEST(MslTextTest, TranslatesFunctionConstants) {
  const MslText text = translate("constant int n [[function_constant(2)]];\nconstant float table[1] = {1};\n");
  EXPECT_THAT(text.cpp,
              StartsWith("static const int n = kmux_msl::constant<int >(2, \"n\");\nconst float table[1] = {1};\n"));
  EXPECT_TRUE(text.has_constants);
  EXPECT_FALSE(translate("constant float table[1] = {1};\n").has_constants);
}

TEST(MslTextTest, CallsKernelsWithAttributeArguments) {
  const MslText text = translate("kernel void k(device int* x [[buffer(4)]], uint i [[thread_position_in_grid]]) {}\n");
  EXPECT_THAT(text.cpp, HasSubstr("KMUX_GRID_KERNEL(fake_kernel_k, kmux_msl::Call<k>::run(launch, kmux_msl::buffer{4}, "
                                  "kmux_msl::thread_position_in_grid{0}))"));
}

TEST(MslTextTest, PreservesLineNumbers) {
  const std::string msl =
      "// kernel void no()\n#define kernel_of(x) \\\n  x\n/* [[\n]] */ \"[[kernel]]\"\nint a [[\n x ]];\nint b;\n";
  const MslText text = translate(msl);
  EXPECT_TRUE(text.kernels.empty());
  const std::string before = text.cpp.substr(0, text.cpp.find("int b;"));
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 7);
}

}  // namespace
}  // namespace kmux::fake_metal
