#include <gmock/gmock.h>

#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::HasSubstr;

// What launches pass is compared with what real code takes.
class NvrtcLaunchesTest : public NvrtcTest {};

// C3.3: no driver is asked.
TEST_F(NvrtcLaunchesTest, ArgumentsAreComparedWithTheKernels) {
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

// A cubin does not tell a pointer from a number of 8 bytes, nor a struct of either; the symbol of a C++ function does.
TEST_F(NvrtcLaunchesTest, KindsOfArgumentsAreThoseOfTheSymbol) {
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

}  // namespace
}  // namespace kmux::nvrtc
