// Mathematics of dialect c, which loops compute by vectors.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/pipeline.h"
#include "jobs.h"
#include "needs.h"
#include "workbench.h"

namespace kmux::cpu {
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

// The launcher's own text names no function of mathematics, so that the object names one only where it calls the library.
TEST(MathUnit, LoopsCallNoLibraryAndAreNearlyExact) {
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

TEST(MathUnit, AFunctionOfTheSourcesStaysTheirs) {
  Compiler compiler;
  const CompileJob job = job_of("f.c",
                                "float tanhf(float x) { return x + 40; }\n"
                                "int f(int x) { volatile float y = (float)x; return (int)tanhf(y); }\n");
  EXPECT_EQ(compile_and_load(compiler, job).value()(2), 42);
}

TEST(MathUnit, WithoutFusedMultiplyAddTheLibraryIsCalled) {
  if (!host_triple().starts_with("x86_64")) GTEST_SKIP() << needs("x86-64", "others have fused multiply-add");
  Compiler compiler;
  CompileJob job = job_of("f.c", "float expf(float);\nint f(int x) { return (int)expf((float)x); }\n");
  job.cpu = "x86-64-v2";
  EXPECT_THAT(compiler.compile(job).value().object, HasSubstr("expf"));
}

TEST(MathUnit, TextHasOneFunctionForEachName) {
  const std::string text = math_unit({"erf", "erff"});
  EXPECT_THAT(text, HasSubstr("double kmux_math_erf(double x)"));
  EXPECT_THAT(text, HasSubstr("float kmux_math_erff(float x)"));
}

}  // namespace
}  // namespace kmux::cpu
