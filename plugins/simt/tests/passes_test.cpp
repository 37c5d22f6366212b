// kmux's passes in LLVM's pipeline: results of compiled code, and texts that tests/ir cannot hold.
#include <gtest/gtest.h>

#include "jobs.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "simt/analysis/divergence.h"
#include "simt/codegen/target_machine.h"
#include "simt/compiler.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"
#include "simt/pipeline.h"
#include "simt/transforms/scales.h"

namespace kmux::simt {
namespace {

/// A module of text.
class PassesTest : public testing::Test {
 protected:
  void parse(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    ASSERT_NE(module_, nullptr) << error.getMessage().str();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

// Loops that test their iteration number, next to the same loops with an opaque index. Returns the number of
// differences.
constexpr const char* kAskingLoops = R"(
#define LOOPS(name, index, type)                                                                                   \
  static __attribute__((noinline)) long long name(long long* y, type s, type n, type m) {                          \
    long long sum = 0;                                                                                             \
    for (index i = s; i < n; ++i) { if (i < m) { y[i] += i; sum += y[i]; } else { y[i] = -3; } }                   \
    for (index i = s; i < n; ++i) { if (i >= m) sum += 5 * y[i]; }                                                 \
    for (index i = s; i != n; ++i) { if (m > i + 2) y[i] = sum; }                                                  \
    for (index b = 0; b < 3; ++b) {                                                                                \
      for (index i = 0; i < 16; ++i) { if (b * 16 + i < m) y[b * 16 + i] += b; }                                   \
    }                                                                                                              \
    return sum;                                                                                                    \
  }
LOOPS(of_long, long, long) LOOPS(of_int, int, int) LOOPS(of_unsigned, unsigned long, unsigned long)
LOOPS(slow_long, volatile long, long) LOOPS(slow_int, volatile int, int) LOOPS(slow_unsigned, volatile unsigned long, unsigned long)
static int differ(long long (*fast)(long long*, long, long, long), long long (*slow)(long long*, long, long, long), long s, long n, long m) {
  long long x[64], y[64];
  for (int i = 0; i < 64; ++i) x[i] = y[i] = 7 * i - 100;
  int wrong = fast(x, s, n, m) != slow(y, s, n, m);
  for (int i = 0; i < 64; ++i) wrong += x[i] != y[i];
  return wrong;
}
static long long f_int(long long* y, long s, long n, long m) { return of_int(y, (int)s, (int)n, (int)m); }
static long long s_int(long long* y, long s, long n, long m) { return slow_int(y, (int)s, (int)n, (int)m); }
static long long f_unsigned(long long* y, long s, long n, long m) { return of_unsigned(y, s, n, m); }
static long long s_unsigned(long long* y, long s, long n, long m) { return slow_unsigned(y, s, n, m); }
int f(int most) {
  const long bounds[] = {-9223372036854775807 - 1, 9223372036854775807, 2147483647, -2147483647 - 1, -1};
  int wrong = 0;
  for (long n = 0; n <= most; ++n) {
    for (long s = 0; s <= n; s += 3) {
      for (long k = 0; k < most + 8; ++k) {
        const long m = k < 5 ? bounds[k] : k - 6;
        if (m > 48 && k >= 5) continue;
        wrong += differ(of_long, slow_long, s, n, m < 47 ? m : 47) + differ(f_int, s_int, s, n, m > 47 || m < -47 ? 47 : m);
        wrong += differ(of_long, slow_long, s, n, m) + differ(f_unsigned, s_unsigned, s, n, m);
      }
    }
  }
  return wrong;
}
)";

TEST_F(PassesTest, SplitLoopsGiveCorrectResults) {
  Compiler compiler;
  for (const Tier tier : {Tier::kFull, Tier::kFast}) {
    CompileJob job = job_of("k.c", kAskingLoops);
    job.tier = tier;
    const auto loaded = compile_and_load(compiler, job);
    ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
    EXPECT_EQ((*loaded)(40), 0);
  }
}

#ifndef NDEBUG

TEST_F(PassesTest, OptimizeVerifiesInputWithAssertions) {
  // A sum that is used before its definition: invalid IR.
  parse("define void @k(i32 %x) {\n  %b = add i32 %a, %x\n  %a = add i32 %b, 1\n  ret void\n}\n");
  const auto machine = make_target_machine(host_cpu().name, 3, Tier::kFull);
  ASSERT_TRUE(machine.ok()) << machine.error().explain();
  module_->setDataLayout((*machine)->createDataLayout());
  EXPECT_DEATH(optimize(*module_, **machine, 3, Tier::kFull, false), "Broken module found");
}

#endif

#if defined(__x86_64__)

// Scales by a power of two for each of 32 threads, and for one.
constexpr const char* kScales =
    "declare <32 x float> @\"kmux.scale.float.x32\"(<32 x float>, <32 x float>)\n"
    "declare double @\"kmux.scale.double\"(double, double)\n"
    "define <32 x float> @f(<32 x float> %x, <32 x float> %n) {\n"
    "  %y = call <32 x float> @\"kmux.scale.float.x32\"(<32 x float> %x, <32 x float> %n)\n  ret <32 x float> %y\n}\n"
    "define double @g(double %x, double %n) {\n"
    "  %y = call double @\"kmux.scale.double\"(double %x, double %n)\n  ret double %y\n}\n";

// tests/ir/scales.ll has the instructions.
TEST_F(PassesTest, LoweredScalesCompile) {
  for (const char* const cpu : {"znver4", "skylake-avx512"}) {
    parse(kScales);
    const auto machine = make_target_machine(cpu, 3, Tier::kFull);
    ASSERT_TRUE(machine.ok()) << machine.error().explain();
    module_->setDataLayout((*machine)->createDataLayout());
    for (llvm::Function& function : *module_) function.addFnAttr("target-cpu", cpu);
    Analyses analyses;
    analyses.complete();
    ScalesPass(**machine).run(*module_, analyses.modules);
    EXPECT_TRUE(emit_object(*module_, **machine).ok()) << cpu;
  }
}

#endif

}  // namespace
}  // namespace kmux::simt
