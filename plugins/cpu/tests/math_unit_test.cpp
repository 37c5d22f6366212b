// Math functions of dialect c, which loops compute by vectors, and math of constants.
#include "simt/frontend/math_unit.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_call.h"
#include "jobs.h"
#include "kernel_ir.h"
#include "needs.h"
#include "simt/compiler.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kCount = 4000;

constexpr const char* kMaps = R"(
#include <math.h>
void k(const float* x, float* y, const double* u, double* v) {
  for (int i = 0; i < 4000; ++i) y[i] = x[i] / (1 + expf(-x[i]));
  for (int i = 0; i < 4000; ++i) v[i] = log(u[i] * u[i]);
  double sum = 0;
  for (int i = 0; i < 4000; ++i) sum += exp(-u[i]);
  v[0] = sum;
}
)";

struct Maps {
  std::vector<float> x = std::vector<float>(kCount), y = x;
  std::vector<double> u = std::vector<double>(kCount), v = u;
  std::string code;
};

Maps run_maps(const Options& options) {
  ProgramBuilder builder("maps");
  builder.input("x", dtype::kFloat32, {kCount}).output("y", dtype::kFloat32, {kCount});
  builder.input("u", dtype::kFloat64, {kCount}).output("v", dtype::kFloat64, {kCount});
  builder.variant("c").source("k.c", kMaps);
  builder.launch("k").args({"x", "y", "u", "v"});
  Maps maps;
  for (int i = 0; i < kCount; ++i) {
    maps.x[i] = static_cast<float>(i - kCount / 2) * 0.01F;
    maps.u[i] = static_cast<double>(i) * 0.37 + 0.001;
  }
  Workbench bench;
  LoadedKernel kernel = bench.load(builder.build().value(), options).value();
  EXPECT_TRUE(kernel({slot(maps.x.data()), slot(maps.y.data()), slot(maps.u.data()), slot(maps.v.data())}).ok());
  maps.code = *kernel.artifact.find(kCodePart);
  return maps;
}

// The launcher's text calls no math function, so the object names one only if it calls the library.
TEST(MathUnitTest, LoopsAvoidLibraryCallsAndStayAccurate) {
  if (!host_cpu().features.contains("fma") && !host_triple().starts_with("aarch64")) {
    GTEST_SKIP() << needs("fused multiply-add", "this processor has none");
  }
  const Maps full = run_maps({{"tier", "full"}});
  EXPECT_THAT(full.code, Not(HasSubstr("expf")));
  for (int i = 1; i < kCount; ++i) {
    const double silu = full.x[i] / (1 + std::exp(-static_cast<double>(full.x[i])));
    ASSERT_NEAR(full.y[i], silu, std::abs(silu) * 3e-7 + 1e-44) << full.x[i];
    const long double log = logl(static_cast<long double>(full.u[i]) * full.u[i]);
    ASSERT_NEAR(full.v[i], static_cast<double>(log), 1e-15 + std::abs(static_cast<double>(log)) * 4e-16) << full.u[i];
  }
  double sum = 0;
  for (const double u : full.u) sum += std::exp(-u);
  EXPECT_NEAR(full.v[0], sum, sum * 1e-14);
  const Maps fast = run_maps({{"tier", "fast"}});
  EXPECT_EQ(fast.y, full.y);
  EXPECT_EQ(fast.v, full.v);
}

TEST(MathUnitTest, KeepsFunctionsDefinedBySources) {
  Compiler compiler;
  const CompileJob job = job_of("f.c",
                                "float tanhf(float x) { return x + 40; }\n"
                                "int f(int x) { volatile float y = (float)x; return (int)tanhf(y); }\n");
  EXPECT_EQ(compile_and_load(compiler, job).value()(2), 42);
}

TEST(MathUnitTest, CallsLibraryWithoutFusedMultiplyAdd) {
  if (!host_triple().starts_with("x86_64")) GTEST_SKIP() << needs("x86-64", "others have fused multiply-add");
  Compiler compiler;
  CompileJob job = job_of("f.c", "float expf(float);\nint f(int x) { return (int)expf((float)x); }\n");
  job.cpu = "x86-64-v2";
  EXPECT_THAT(compiler.compile(job).value().object, HasSubstr("expf"));
}

TEST(MathUnitTest, DefinesOneFunctionPerName) {
  const std::string text = math_unit({"erf", "erff"});
  EXPECT_THAT(text, HasSubstr("double kmux_math_erf(double x)"));
  EXPECT_THAT(text, HasSubstr("float kmux_math_erff(float x)"));
}

// Returns a function of constants: folded before its definition becomes part of a kernel (fold_mathematics).
double value_of(const char* name, std::vector<double> arguments) {
  llvm::LLVMContext context;
  const llvm::ConstantFP* const value = constant_math(name, arguments, *llvm::Type::getDoubleTy(context));
  return value == nullptr ? -1 : value->getValueAPF().convertToDouble();
}

TEST(ConstantMathTest, IsRoundedOnce) {
  EXPECT_EQ(value_of("pow", {0.5, 23}), 0x1p-23);
  EXPECT_EQ(value_of("pow", {10, -5}), 1e-05);
  EXPECT_EQ(value_of("exp", {1}), 0x1.5bf0a8b145769p1);
  EXPECT_EQ(value_of("fmod", {7, 4}), 3);
}

TEST(ConstantMathTest, SkipsNonfiniteResultsAndUnknownCalls) {
  EXPECT_EQ(value_of("exp", {1000}), -1);
  EXPECT_EQ(value_of("log", {-2}), -1);
  EXPECT_EQ(value_of("exp", {1, 2}), -1);
  EXPECT_EQ(value_of("pow", {2}), -1);
  EXPECT_EQ(value_of("tgamma", {2}), -1);
}

// Functions of a file by their mangled names, and one of the library.
constexpr const char* kCalls =
    "define internal double @_ZL3powdd(double %x, double %y) {\n  ret double %y\n}\n"
    "define internal float @_ZL4expff(float %x) {\n  ret float %x\n}\n"
    "define internal double @_ZL3powIijEN14kmux_double_ifIXaaE4typeET_T0_(i32 %x, i32 %y) {\n  ret double 0.0\n}\n"
    "define double @_ZN4mine3powEdd(double %x, double %y) {\n  ret double %y\n}\n"
    "declare double @acosh(double)\n"
    "define void @k(ptr %x, double %n) {\n"
    "  %a = call double @_ZL3powdd(double 2.0, double 3.0)\n  %b = fadd double %a, 1.0\n  store double %b, ptr %x\n"
    "  %c = call float @_ZL4expff(float 0.0)\n  store float %c, ptr %x\n"
    "  %d = call double @_ZL3powIijEN14kmux_double_ifIXaaE4typeET_T0_(i32 -2, i32 3)\n  store double %d, ptr %x\n"
    "  %e = call double @acosh(double 1.0)\n  store double %e, ptr %x\n"
    "  %f = call double @_ZL3powdd(double %n, double 3.0)\n  store double %f, ptr %x\n"
    "  %g = call double @_ZN4mine3powEdd(double 2.0, double 3.0)\n  store double %g, ptr %x\n  ret void\n}\n";

TEST(ConstantMathTest, FoldsDeviceMathCalls) {
  KernelIr ir(kCalls);
  fold_mathematics(*ir.module);
  const std::string text = text_of(ir.kernel());
  EXPECT_THAT(text, HasSubstr("store double 9.000000e+00"));
  EXPECT_THAT(text, HasSubstr("store float 1.000000e+00"));
  EXPECT_THAT(text, HasSubstr("store double -8.000000e+00"));
  EXPECT_THAT(text, Not(HasSubstr("acosh")));
  EXPECT_THAT(text, HasSubstr("@_ZL3powdd(double %n"));
  EXPECT_THAT(text, HasSubstr("@_ZN4mine3powEdd(double 2.0"));  // of unknown origin
}

TEST(ConstantMathTest, MatchesAcrossTiersAndCalls) {
  const ElementKernel kernel{R"(
__device__ double scaled(double x) { return x * pow(10.0, -5.0); }
__global__ void k(const double* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scaled(x[i]) + pow(2, 10) + powf(2.0f, 0.5f) + cos(0.0) + atan2(0.0, 1.0);
}
)"};
  const std::vector<double> x = {1, 2, 3, 1e5};
  const std::vector<double> y = elements<double>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(y[i], x[i] * 1e-05 + 1024 + static_cast<double>(0x1.6a09e6p0F) + 1) << i;
}

}  // namespace
}  // namespace kmux::cpu
