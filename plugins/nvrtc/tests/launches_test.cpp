#include <gmock/gmock.h>

#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::HasSubstr;

// The arguments of launches are compared with the parameters of real code.
class NvrtcLaunchesTest : public NvrtcTest {};

// C3.3: detected without a driver call.
TEST_F(NvrtcLaunchesTest, RejectsArgumentsThatMismatchKernel) {
  const std::string two = "extern \"C\" __global__ void k(float* x, double n) { x[0] = n; }\n";
  const Error fewer = failure(one_kernel(two).build().value());
  EXPECT_EQ(fewer.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(fewer.message,
              HasSubstr("with 1 argument of 8 bytes: pointer x (its code takes 2 arguments of 8, 8 bytes)"));
  const Error of_ptx = failure(one_kernel(two).build().value(), {}, "cuda:compute_90");
  EXPECT_EQ(of_ptx.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(of_ptx.message, HasSubstr("(its code takes 2 arguments of 8, 8 bytes: 8 bytes, float64)"));
  ProgramBuilder narrow = one_kernel(two);
  narrow.launch("k").grid({1}).block({1}).args({"x"}).arg(1, dtype::kInt32);
  EXPECT_EQ(failure(narrow.build().value()).code, ErrorCode::kInvalidArgument);
}

// A cubin does not distinguish a pointer from an 8-byte number, nor a struct from either; the symbol of a C++ function
// does.
TEST_F(NvrtcLaunchesTest, ChecksArgumentKindsAgainstSymbol) {
  const auto told = [&](const std::string& text, const std::string& kernel, DType type) {
    ProgramBuilder builder("sample");
    builder.input("x", dtype::kFloat32, {64}).scalar("n", type);
    builder.variant("cuda").source("k.cu", text);
    builder.launch(kernel).grid({1}).block({1}).args({"x", "n"});
    return failure(builder.build().value()).message;
  };
  const std::string scale = "template <class T> __global__ void scale(T* x, T by) { x[0] *= by; }\n";
  EXPECT_EQ(told(scale, "scale<float>", dtype::kFloat32), "it worked");
  EXPECT_EQ(told(scale, "scale<float>", dtype::kInt32),
            "kernel \"scale<float>\" is launched with 2 arguments of 8, 4 bytes: pointer x, int32 n (its code takes 2 "
            "arguments of 8, 4 bytes: float*, float; argument 2 differs). Correct the launch or the kernel.");
  EXPECT_THAT(told(scale, "scale<double>", dtype::kFloat64),
              HasSubstr("pointer x to float32 as argument 1 (its code takes double*)"));
  EXPECT_THAT(told("__global__ void k(long n, float* x) { x[0] = n; }", "k", dtype::kInt64),
              HasSubstr("8, 8 bytes: long, float*; argument 1 differs"));
  EXPECT_EQ(told("extern \"C\" __global__ void k(long n, float* x) { x[0] = n; }", "k", dtype::kInt64), "it worked");
  EXPECT_EQ(told("struct P { float* x; };\nstruct N { long n; };\n__global__ void k(P p, N n) { p.x[0] = n.n; }", "k",
                 dtype::kInt64),
            "it worked");
}

// A cubin only records the size of a structure.
TEST_F(NvrtcLaunchesTest, ComparesStructuresBySize) {
  const std::string source =
      "struct Dim { int rows, cols, stride; };\n__global__ void k(Dim d, float4 by, float* x) { x[d.rows] = by.w; }\n";
  const auto told = [&](const StructArg& dim, const Options& options = {}, const std::string& target = "cuda:sm_90") {
    ProgramBuilder builder("sample");
    builder.input("x", dtype::kFloat32, {64}).scalar("s", dtype::kFloat32);
    builder.variant("cuda").source("k.cu", source);
    const LaunchArg s = ScalarArg{"s"};
    builder.launch("k").grid({1}).block({1}).arg(dim).arg(StructArg{{s, s, s, s}, 16}).args({"x"});
    return failure(builder.build().value(), options, target).message;
  };
  const LaunchArg one = ExprArg{1};
  EXPECT_EQ(told({{one, one, one}}), "it worked");
  EXPECT_EQ(told({{one, one, one}}, {}, "cuda:compute_90"), "it worked");
  EXPECT_EQ(
      told({{one, one}}),
      "kernel \"k\" is launched with 3 arguments of 8, 16, 8 bytes: struct {int32 1, int32 1}, struct {s, s, s, s}, "
      "pointer x (its code takes 3 arguments of 12, 16, 8 bytes: Dim, float4, float*; argument 1 differs). Correct "
      "the launch or the kernel.");
  EXPECT_THAT(told({{TensorArg{"x"}}}, {}, "cuda:compute_90"), HasSubstr("argument 1 differs"));
}

}  // namespace
}  // namespace kmux::nvrtc
