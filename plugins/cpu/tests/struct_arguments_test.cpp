// SPDX-License-Identifier: Apache-2.0
// Structures by value, which a launch assembles from arguments that callers pass one by one.
#include <bit>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu {
namespace {

using ::testing::HasSubstr;

constexpr int kLaunchedThreads = 64;

/// The structure that kernel `k(S s, float* y)` takes, the expression that it adds up, and the sum.
struct StructCase {
  std::string declaration;  // of S
  StructArg members;
  std::string sum;  // over s
  float expected;
};

// Returns cases with scalars i = 3, b = 200, f = 2.5, d = 0.25, h = 1.5 (float16) and t = 1 (bool), and x = {10, 20,
// 30}.
std::vector<StructCase> struct_cases() {
  const LaunchArg i = ScalarArg{"i"}, f = ScalarArg{"f"}, d = ScalarArg{"d"}, x = TensorArg{"x"};
  const LaunchArg two = TensorArg{"x", 4};
  const LaunchArg seven = ExprArg{7}, b = ScalarArg{"b"}, h = ScalarArg{"h"}, t = ScalarArg{"t"};
  const std::string ints = "struct S { int a, b, c; };", all = "s.a * 100 + s.b * 10 + s.c";
  return {
      {ints, {{i, seven, ExprArg{Expr::symbol("i") + 1}}}, all, 374},
      {"struct S { const float* p; int n; };", {{x, i}}, "s.p[0] + s.p[1] + s.n", 33},
      {"struct S { const float* p; };", {{two}}, "s.p[0]", 20},
      {"struct S { float v; };", {{f}}, "s.v", 2.5},
      {"using S = float4;", {{f, f, f, f}, 16}, "s.x + s.w", 5},
      {"struct S { float v[3]; };", {{f, f, f}}, "s.v[0] + s.v[1] + s.v[2]", 7.5},
      {"struct S { double d; float f; };", {{d, f}}, "s.d * 4 + s.f", 3.5},
      {"struct S { char c; double d; };", {{b, d}}, "(unsigned char)s.c + s.d", 200.25},
      {"struct S { char c; bool t; short n; };",
       {{b, t, ExprArg{-5, dtype::kInt16}}},
       "(unsigned char)s.c + s.t + s.n",
       196},
      {"#include <cuda_fp16.h>\nstruct S { __half h; int n; };", {{h, i}}, "(float)s.h + s.n", 4.5},
      {"struct T { int a; char b; }; struct S { T t; char c; };",
       {{StructArg{{i, b}}, b}},
       "s.t.a + (unsigned char)s.t.b + (unsigned char)s.c",
       403},
      {"struct S { const float* p; long n; int a; };", {{two, ExprArg{9, dtype::kInt64}, i}}, "s.p[1] + s.n + s.a", 42},
      {"struct S { const float* p; int n[2]; char c; };",
       {{two, i, i, b}},
       "s.p[0] + s.n[1] + (unsigned char)s.c",
       223},
      {"struct S { double d[4]; int a; };", {{d, d, d, d, i}}, "s.d[3] + s.a", 3.25},
  };
}

Result<Program> struct_program(const std::string& source, const StructArg& record) {
  ProgramBuilder builder("sample");
  builder.pointer("x").output("y", dtype::kFloat32, {kLaunchedThreads});
  builder.scalar("i", dtype::kInt32);
  builder.scalar("b", dtype::kUInt8);
  builder.scalar("f", dtype::kFloat32);
  builder.scalar("d", dtype::kFloat64);
  builder.scalar("h", dtype::kFloat16);
  builder.scalar("t", dtype::kBool);
  builder.variant("cuda").source("k.cu", source);
  builder.launch("k").grid({1}).block({kLaunchedThreads}).arg(record).args({"y"});
  return builder.build();
}

Result<std::vector<float>> run_struct(const std::string& source, const StructArg& record, const Options& options) {
  KMUX_ASSIGN(const Program program, struct_program(source, record));
  KMUX_ASSIGN(LoadedKernel kernel, common_bench().load(program, options));
  std::vector<float> x = {10, 20, 30};
  std::vector<float> y(kLaunchedThreads, -1);
  KMUX_TRY(kernel({slot(x.data()), slot(y.data()), slot(std::int64_t{3}), bits(200),
                   bits(std::bit_cast<std::uint32_t>(2.5F)), bits(std::bit_cast<std::uint64_t>(0.25)), bits(0x3e00),
                   bits(1)}));
  return y;
}

std::vector<Options> ways() {
  return {{{"tier", "fast"}}, {{"tier", "full"}}, {{"opt_level", "0"}}, {{"check", "on"}}};
}

TEST(StructArgumentsTest, PassMembersUnchanged) {
  for (const StructCase& one : struct_cases()) {
    const std::string source =
        one.declaration + "\n__global__ void k(S s, float* y) { y[threadIdx.x] = " + one.sum + " + threadIdx.x; }";
    for (const Options& options : ways()) {
      SCOPED_TRACE(one.declaration + " " + options.begin()->second);
      const auto y = run_struct(source, one.members, options);
      ASSERT_TRUE(y.ok()) << y.error().explain();
      for (int i = 0; i < kLaunchedThreads; ++i) ASSERT_EQ((*y)[i], one.expected + static_cast<float>(i));
    }
  }
}

// On that machine arrays of numbers are passed in registers, and larger structures by address: the code contains
// neither.
TEST(StructArgumentsTest, CompileForAArch64) {
  CpuBackend& backend = common_bench().backend;
  for (const StructCase& one : struct_cases()) {
    const std::string source =
        one.declaration + "\n__global__ void k(S s, float* y) { y[threadIdx.x] = " + one.sum + "; }";
    const Program program = struct_program(source, one.members).value();
    const BuildRequest request{program, 0, backend.resolve_target("auto", 0).value(), {{"march", "neoverse-v1"}}};
    const auto built = backend.builder().build(request, backend.wrapper().wrap(request).value());
    EXPECT_TRUE(built.ok()) << one.declaration << (built.ok() ? "" : built.error().explain());
  }
}

// Recursion cannot be vectorized.
TEST(StructArgumentsTest, ReachThreadsWithSeparateStacks) {
  for (const StructCase& one : struct_cases()) {
    const std::string source = one.declaration +
                               "\n__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
                               "__global__ void k(S s, float* y) { y[threadIdx.x] = " +
                               one.sum + " + f(2 + threadIdx.x % 2); }";
    const auto y = run_struct(source, one.members, {});
    ASSERT_TRUE(y.ok()) << one.declaration << y.error().explain();
    for (int i = 0; i < kLaunchedThreads; ++i) ASSERT_EQ((*y)[i], one.expected + static_cast<float>(1 + i % 2));
  }
}

// A parameter is a variable of the thread.
TEST(StructArgumentsTest, AreCopiedPerThread) {
  const LaunchArg i = ScalarArg{"i"};
  for (const int members : {3, 24}) {
    const std::string source = "struct S { int a[" + std::to_string(members) +
                               "]; };\n__global__ void k(S s, float* y) {\n  s.a[threadIdx.x % 3] += threadIdx.x;\n"
                               "  y[threadIdx.x] = s.a[0] + s.a[1] + s.a[2];\n}";
    for (const Options& options : ways()) {
      const auto y = run_struct(source, {std::vector<LaunchArg>(members, i)}, options);
      ASSERT_TRUE(y.ok()) << y.error().explain();
      for (int thread = 0; thread < kLaunchedThreads; ++thread)
        ASSERT_EQ((*y)[thread], 9 + static_cast<float>(thread)) << options.begin()->second;
    }
  }
}

// A read-only structure stays where the launcher has it, also if each thread reads another part.
TEST(StructArgumentsTest, SupportThreadDependentIndices) {
  std::vector<LaunchArg> members;
  for (int i = 0; i < 100; ++i) members.emplace_back(ExprArg{i * i});
  for (const std::string change : {"", "s.a[0] = 0; "}) {
    const std::string source = "struct alignas(16) S { int a[100]; };\n__global__ void k(S s, float* y) { " + change +
                               "y[threadIdx.x] = s.a[threadIdx.x + 1]; }";
    for (const Options& options : ways()) {
      const auto y = run_struct(source, {members, 16}, options);
      ASSERT_TRUE(y.ok()) << y.error().explain();
      for (int i = 0; i < kLaunchedThreads; ++i) ASSERT_EQ((*y)[i], static_cast<float>((i + 1) * (i + 1)));
    }
  }
}

TEST(StructArgumentsTest, SizeMismatchReportsBothSizes) {
  const std::string source = "struct S { int a, b, c, d, e; };\n__global__ void k(S s, float* y) { y[0] = s.a; }";
  const auto y = run_struct(source, {{ScalarArg{"i"}, ScalarArg{"i"}, ScalarArg{"i"}}}, {});
  ASSERT_FALSE(y.ok());
  EXPECT_EQ(y.error().message,
            "kernel \"k\" is launched with 2 arguments of 12, 8 bytes: struct {i, i, i}, pointer y (its code takes 2 "
            "arguments of 20, 8 bytes: S, float*; argument 1 differs). Correct the launch or the kernel.");
}

TEST(StructArgumentsTest, AreRejectedForScalarsAndPointers) {
  for (const std::string parameter : {"int n", "float n", "const float* n"}) {
    const LaunchArg member = parameter.ends_with("* n") ? LaunchArg(TensorArg{"x"}) : LaunchArg(ScalarArg{"f"});
    const auto y = run_struct("__global__ void k(" + parameter + ", float* y) { y[0] = 1; }", {{member}}, {});
    ASSERT_FALSE(y.ok()) << parameter;
    EXPECT_THAT(y.error().message, HasSubstr("argument 1 differs"));
  }
}

// A class with a copy constructor is not valid as an argument of a launch.
TEST(StructArgumentsTest, RejectNonTrivialCopyConstructors) {
  const std::string source =
      "struct S { int a[4]; __device__ S(const S& o) { a[0] = 1; } };\n__global__ void k(S s, float* y) { y[0] = "
      "s.a[0]; "
      "}";
  const auto y = run_struct(source, {std::vector<LaunchArg>(4, ScalarArg{"i"})}, {});
  ASSERT_FALSE(y.ok());
  EXPECT_THAT(y.error().message, HasSubstr("argument 1 differs"));
}

Result<float> run_host_struct(const std::string& source, const StructArg& record, const Options& options = {}) {
  ProgramBuilder builder("sample");
  builder.pointer("x").output("y", dtype::kFloat32, {1});
  builder.scalar("i", dtype::kInt32);
  builder.scalar("f", dtype::kFloat32);
  builder.scalar("h", dtype::kFloat16);
  builder.variant("c").source("k.cpp", source);
  builder.launch("k").arg(record).args({"y"});
  KMUX_ASSIGN(const Program program, builder.build());
  KMUX_ASSIGN(LoadedKernel kernel, common_bench().load(program, options));
  std::vector<float> x = {10, 20, 30};
  float y = -1;
  KMUX_TRY(kernel(
      {slot(x.data()), slot(&y), slot(std::int64_t{3}), bits(std::bit_cast<std::uint32_t>(2.5F)), bits(0x3e00)}));
  return y;
}

// Passed as in C: in registers, or in memory.
TEST(StructArgumentsTest, ArePassedToCFunctions) {
  const LaunchArg i = ScalarArg{"i"}, f = ScalarArg{"f"}, h = ScalarArg{"h"}, x = TensorArg{"x", 8};
  const std::vector<StructCase> cases = {
      {"struct S { int a, b, c; };", {{i, ExprArg{7}, i}}, "s.a + s.b * 10 + s.c * 100", 373},
      {"struct S { const float* p; int n; };", {{x, i}}, "*s.p + s.n", 33},
      {"struct S { float x, y, z; };", {{f, f, f}}, "s.x + s.y + s.z", 7.5},
      {"struct S { _Float16 a, b; int n; };", {{h, h, i}}, "(float)s.a + (float)s.b + s.n", 6},
      {"struct alignas(32) S { float v[8]; };", {std::vector<LaunchArg>(8, f), 32}, "s.v[7]", 2.5},
      {"struct S { float v[300]; };", {std::vector<LaunchArg>(300, f)}, "s.v[299]", 2.5},
  };
  for (const StructCase& one : cases) {
    const std::string source = one.declaration + "\nextern \"C\" void k(S s, float* y) { *y = " + one.sum + "; }";
    for (const char* const engine : {"clang", "host"}) {
      const auto y = run_host_struct(source, one.members, {{"engine", engine}});
      ASSERT_TRUE(y.ok()) << y.error().explain();
      EXPECT_EQ(*y, one.expected) << one.declaration << engine;
    }
  }
}

TEST(StructArgumentsTest, CFunctionsRejectSizeOrAlignmentMismatch) {
  const LaunchArg f = ScalarArg{"f"};
  const std::string body = "extern \"C\" void k(S s, float* y) { *y = 1; }";
  const auto size = run_host_struct("struct S { float v[3]; };\n" + body, {{f, f}});
  ASSERT_FALSE(size.ok());
  EXPECT_THAT(size.error().message,
              HasSubstr("with 2 arguments of 8, 8 bytes: struct {f, f}, pointer y (its code takes "
                        "2 arguments of 12, 8 bytes"));
  const auto alignment =
      run_host_struct("struct alignas(32) S { float v[8]; };\n" + body, {std::vector<LaunchArg>(8, f)});
  ASSERT_FALSE(alignment.ok());
  EXPECT_THAT(alignment.error().message, HasSubstr("has the type"));
}

}  // namespace
}  // namespace kmux::cpu
