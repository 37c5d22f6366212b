#include <bit>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs.h"
#include "meta.h"
#include "options.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;
using testing::Not;

// Code on which two compilers may differ: fused multiply-add, sums in order, division, square roots, conversions.
constexpr const char* kArithmetic = R"(
#include <cmath>
extern "C" void k(const float* a, const double* b, float* c, double* d) {
  float sum = 0;
  double product = 1;
  for (int i = 0; i < 1000; ++i) {
    sum += a[i] * a[999 - i] + a[i] / 3.0f;
    product = product * (1 + b[i] * 1e-3) - b[999 - i] * b[i];
    c[i] = std::sqrt(std::fabs(a[i])) * sum + (float)b[i] * a[i];
    d[i] = std::exp(b[i]) / (product + b[i] * a[i]) + (double)(int)(b[i] * 100);
  }
}
)";

struct Results {
  std::vector<std::uint32_t> c;
  std::vector<std::uint64_t> d;
  bool operator==(const Results&) const = default;
};

Results run_arithmetic(Options options) {
  ProgramBuilder builder("arithmetic");
  builder.input("a", dtype::kFloat32, {1000}).input("b", dtype::kFloat64, {1000});
  builder.output("c", dtype::kFloat32, {1000}).output("d", dtype::kFloat64, {1000});
  builder.variant("c").source("k.cpp", kArithmetic);
  builder.launch("k").args({"a", "b", "c", "d"});
  std::vector<float> a(1000), c(1000);
  std::vector<double> b(1000), d(1000);
  for (int i = 0; i < 1000; ++i) {
    a[i] = std::sin(static_cast<float>(i)) * 3;
    b[i] = std::cos(i * 1.7) * 2;
  }
  Workbench bench;
  LoadedKernel kernel = bench.load(builder.build().value(), std::move(options)).value();
  EXPECT_TRUE(kernel({slot(a.data()), slot(b.data()), slot(c.data()), slot(d.data())}).ok());
  Results results;
  for (int i = 0; i < 1000; ++i) {
    results.c.push_back(std::bit_cast<std::uint32_t>(c[i]));
    results.d.push_back(std::bit_cast<std::uint64_t>(d[i]));
  }
  return results;
}

TEST(TierTest, FastAndFullGiveIdenticalResults) {
  EXPECT_EQ(run_arithmetic({{"tier", "fast"}}), run_arithmetic({{"tier", "full"}}));
  EXPECT_EQ(run_arithmetic({{"tier", "fast"}, {"opt_level", "0"}}), run_arithmetic({{"tier", "full"}}));
}

CompiledObject compiled(const char* source, Tier tier, int opt_level = 3) {
  Compiler compiler;
  CompileJob job = job_of("f.cpp", source);
  job.units[0].arguments = {"-std=c++20"};
  job.tier = tier;
  job.opt_level = opt_level;
  return compiler.compile(job).value();
}

constexpr const char* kSum =
    "extern \"C\" int f(int n) { int a[64], s = 0; for (int i = 0; i < 64; ++i) a[i] = i * n;"
    " for (int i = 0; i < n; ++i) s += a[i & 63] * i; return s; }";

TEST(TierTest, FastCodeIsSmallerThanFull) {
  EXPECT_NE(compiled(kSum, Tier::kFast).object, compiled(kSum, Tier::kFull).object);
  EXPECT_LT(compiled(kSum, Tier::kFast).object.size(), compiled(kSum, Tier::kFull).object.size());
}

TEST(TierTest, FastInlinesHelperFunctions) {
  const auto object =
      compiled("static int other(int x) { return x * 3; } extern \"C\" int f(int x) { return other(x); }", Tier::kFast);
  EXPECT_THAT(object.object, Not(HasSubstr("other")));
}

TEST(TierTest, FastEqualsFullAtLevelZero) {
  EXPECT_EQ(compiled(kSum, Tier::kFast, 0).object, compiled(kSum, Tier::kFull, 0).object);
}

TEST(TierTest, BothTiersLowerCoroutines) {
  constexpr const char* kCoroutine = R"(
#include <coroutine>
struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Task twice(int x) { co_return 2 * x; }
extern "C" int f(int x) { Task t = twice(x); int v = t.handle.promise().value; t.handle.destroy(); return v; }
)";
  for (const Tier tier : {Tier::kFast, Tier::kFull}) {
    Compiler compiler;
    CompileJob job = job_of("f.cpp", kCoroutine);
    job.units[0].arguments = {"-std=c++20"};
    job.tier = tier;
    EXPECT_EQ(compile_and_load(compiler, job).value()(21), 42);
  }
}

TEST(TierTest, IsRecordedInArtifact) {
  Workbench bench;
  const Program program = one_kernel("k.c", "void k(int* out) { out[0] = 1; }").build().value();
  for (const char* tier : {"fast", "full"}) {
    const LoadedKernel kernel = bench.load(program, {{"tier", tier}}).value();
    EXPECT_EQ(parse_meta(*kernel.artifact.find(kMetaPart)).value().tier, tier);
  }
}

}  // namespace
}  // namespace kmux::cpu
