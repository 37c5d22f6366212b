// kmux's passes in LLVM's pipeline, on LLVM IR as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/fiber_kernels.h"
#include "engine/pipeline.h"
#include "jobs.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "spmd/steps.h"

namespace kmux::cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A module of text.
class PassesTest : public testing::Test {
 protected:
  void parse(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    ASSERT_NE(module_, nullptr) << error.getMessage().str();
  }
  std::string text() {
    std::string result;
    llvm::raw_string_ostream stream(result);
    module_->print(stream, nullptr);
    EXPECT_FALSE(llvm::verifyModule(*module_, &stream)) << result;
    return result;
  }
  template <class Pass>
  std::string after(Pass pass) {
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::FunctionPassManager passes;
    passes.addPass(std::move(pass));
    for (llvm::Function& function : *module_) {
      if (!function.isDeclaration()) passes.run(function, functions);
    }
    return text();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

// for (i = 0; i < n; ++i) y[i] = i < m ? x[i] : 0;
std::string asking(const std::string& compare) {
  return "define void @f(ptr %x, ptr %y, i64 %n, i64 %m) {\nentry:\n  %some = icmp sgt i64 %n, 0\n"
         "  br i1 %some, label %before, label %end\nbefore:\n  br label %loop\nloop:\n"
         "  %i = phi i64 [ 0, %before ], [ %next, %latch ]\n  %asked = icmp " +
         compare +
         "\n  br i1 %asked, label %load, label %latch\nload:\n  %from = getelementptr float, ptr %x, i64 %i\n"
         "  %a = load float, ptr %from\n  br label %latch\nlatch:\n"
         "  %value = phi float [ %a, %load ], [ 0.0, %loop ]\n  %to = getelementptr float, ptr %y, i64 %i\n"
         "  store float %value, ptr %to\n  %next = add nuw nsw i64 %i, 1\n  %more = icmp slt i64 %next, %n\n"
         "  br i1 %more, label %loop, label %leave\nleave:\n  br label %end\nend:\n  ret void\n}\n";
}

TEST_F(PassesTest, SplitsLoopsOnInductionVariableCompares) {
  parse(asking("slt i64 %i, %m"));
  const std::string split = after(SplitLoops());
  EXPECT_THAT(split, HasSubstr("@llvm.memset"));  // the second loop stores zeros
  EXPECT_THAT(split, Not(HasSubstr("%asked")));
}

TEST_F(PassesTest, KeepsLoopsWithOtherCompares) {
  for (const char* const compare : {"slt i64 %n, %m", "eq i64 %i, %m", "ult i64 %i, %i"}) {
    parse(asking(compare));
    const std::string before = text();
    EXPECT_EQ(after(SplitLoops()), before);
  }
}

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

// Returns the bytes of eight integers, as the vectorizer emits them for a loop that stores `count` of their bytes each.
std::string bytes_of(const std::string& third_shift, const std::string& order) {
  return "target datalayout = \"e\"\ndefine void @f(ptr %x, ptr %y) {\n  %v = load <2 x i32>, ptr %x\n"
         "  %a = trunc <2 x i32> %v to <2 x i8>\n  %s1 = lshr <2 x i32> %v, <i32 8, i32 8>\n"
         "  %b = trunc <2 x i32> %s1 to <2 x i8>\n  %s2 = ashr <2 x i32> %v, " +
         third_shift +
         "\n  %c = trunc <2 x i32> %s2 to <2 x i8>\n  %s3 = lshr <2 x i32> %v, <i32 24, i32 24>\n"
         "  %d = trunc <2 x i32> %s3 to <2 x i8>\n"
         "  %ab = shufflevector <2 x i8> %a, <2 x i8> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>\n"
         "  %cd = shufflevector <2 x i8> %c, <2 x i8> %d, <4 x i32> <i32 0, i32 1, i32 2, i32 3>\n"
         "  %all = shufflevector <4 x i8> %ab, <4 x i8> %cd, <8 x i32> " +
         order + "\n  store <8 x i8> %all, ptr %y\n  ret void\n}\n";
}

constexpr const char* kInOrder = "<i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 7>";

TEST_F(PassesTest, ReplacesByteShufflesWithBitcasts) {
  parse(bytes_of("<i32 16, i32 16>", kInOrder));
  const std::string joined = after(JoinBytes());
  EXPECT_THAT(joined, HasSubstr("bitcast <2 x i32> %v to <8 x i8>"));
  EXPECT_THAT(joined, Not(HasSubstr("shufflevector")));
}

TEST_F(PassesTest, KeepsOtherBytePatterns) {
  for (const std::string& other :
       {bytes_of("<i32 16, i32 16>", "<i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 7, i32 5>"),
        bytes_of("<i32 16, i32 16>", "<i32 0, i32 2, i32 4, i32 6, i32 1, i32 3, i32 5, i32 undef>"),
        bytes_of("<i32 17, i32 17>", kInOrder)}) {
    parse(other);
    const std::string before = text();
    EXPECT_EQ(after(JoinBytes()), before);
  }
}

// Returns a kernel that adds masked elements to themselves, `count` of eight.
std::string masked_by(const std::string& mask) {
  return "declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)\n"
         "declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)\n"
         "define void @f(ptr %x, <8 x i1> %some, <8 x float> %rest) {\n"
         "  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %x, i32 4, <8 x i1> " +
         mask +
         ", <8 x float> %rest)\n  %s = fadd <8 x float> %v, %v\n"
         "  call void @llvm.masked.store.v8f32.p0(<8 x float> %s, ptr %x, i32 4, <8 x i1> " +
         mask + ")\n  ret void\n}\n";
}

TEST_F(PassesTest, NarrowsPrefixMasksToShorterVectors) {
  parse(masked_by("<i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>"));
  const std::string narrow = after(NarrowMasks());
  EXPECT_THAT(narrow, HasSubstr("load <4 x float>, ptr %x, align 4"));
  EXPECT_THAT(narrow,
              HasSubstr("<8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>"));  // and %rest
  EXPECT_THAT(narrow, HasSubstr("store <4 x float>"));
  EXPECT_THAT(narrow, Not(HasSubstr("call <")));
}

TEST_F(PassesTest, KeepsOtherMasks) {
  for (const char* const mask :
       {"%some", "zeroinitializer", "<i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>",
        "<i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>", "<i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>",
        "<i1 1, i1 undef, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>"}) {
    parse(masked_by(mask));
    const std::string before = text();
    EXPECT_EQ(after(NarrowMasks()), before) << mask;
  }
}

// A sum that is used before its definition: invalid IR.
constexpr const char* kBroken =
    "define void @k(i32 %x) {\n  %b = add i32 %a, %x\n  %a = add i32 %b, 1\n  ret void\n}\n";

TEST_F(PassesTest, FiberLoweringRejectsInvalidFunction) {
  for (const bool is_checked : {false, true}) {
    parse(kBroken);
    llvm::Function* const kernel = module_->getFunction("k");
    const Status made = spmd::run_on_fibers(std::span(&kernel, 1), {.memory = is_checked});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kInternal);
    EXPECT_THAT(made.error().message, HasSubstr("is broken (function \"k"));
  }
}

#ifndef NDEBUG

TEST_F(PassesTest, OptimizeVerifiesInputWithAssertions) {
  parse(kBroken);
  const auto machine = make_target_machine(host_cpu().name, 3, Tier::kFull);
  ASSERT_TRUE(machine.ok()) << machine.error().explain();
  module_->setDataLayout((*machine)->createDataLayout());
  EXPECT_DEATH(optimize(*module_, **machine, 3, Tier::kFull, false), "Broken module found");
}

#endif

#if defined(__x86_64__)

// for (i = 0; i < n; ++i) y[i] = x[i] + 1;
constexpr const char* kAddOne =
    "define void @add_one(ptr noalias %x, ptr noalias %y, i64 %n) {\n"
    "entry:\n  br label %loop\n"
    "loop:\n"
    "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
    "  %from = getelementptr inbounds i32, ptr %x, i64 %i\n"
    "  %value = load float, ptr %from, align 4\n"
    "  %sum = fadd float %value, 1.0\n"
    "  %to = getelementptr inbounds i32, ptr %y, i64 %i\n"
    "  store float %sum, ptr %to, align 4\n"
    "  %next = add nuw nsw i64 %i, 1\n"
    "  %more = icmp slt i64 %next, %n\n"
    "  br i1 %more, label %loop, label %exit\n"
    "exit:\n  ret void\n}\n";

TEST_F(PassesTest, VectorizesLoopEpilogues) {
  for (const char* const cpu : {"znver4", "icelake-server", "x86-64-v3"}) {
    parse(kAddOne);
    const auto machine = make_target_machine(cpu, 3, Tier::kFull);
    ASSERT_TRUE(machine.ok()) << machine.error().explain();
    module_->setDataLayout((*machine)->createDataLayout());
    module_->setTargetTriple((*machine)->getTargetTriple().str());
    for (llvm::Function& function : *module_) function.addFnAttr("target-cpu", cpu);
    optimize(*module_, **machine, 3, Tier::kFull, false);
    EXPECT_THAT(text(), HasSubstr("vec.epilog.vector.body:")) << cpu;
  }
}

// Scales by a power of two for each of 32 threads, and for one.
constexpr const char* kScales =
    "declare <32 x float> @\"kmux.scale.float.x32\"(<32 x float>, <32 x float>)\n"
    "declare double @\"kmux.scale.double\"(double, double)\n"
    "define <32 x float> @f(<32 x float> %x, <32 x float> %n) {\n"
    "  %y = call <32 x float> @\"kmux.scale.float.x32\"(<32 x float> %x, <32 x float> %n)\n  ret <32 x float> %y\n}\n"
    "define double @g(double %x, double %n) {\n"
    "  %y = call double @\"kmux.scale.double\"(double %x, double %n)\n  ret double %y\n}\n";

TEST_F(PassesTest, LowersScalesAtPreferredVectorWidth) {
  for (const auto& [cpu, bits] : {std::pair{"znver4", "512"}, std::pair{"skylake-avx512", "256"}}) {
    parse(kScales);
    const auto machine = make_target_machine(cpu, 3, Tier::kFull);
    ASSERT_TRUE(machine.ok()) << machine.error().explain();
    module_->setDataLayout((*machine)->createDataLayout());
    for (llvm::Function& function : *module_) function.addFnAttr("target-cpu", cpu);
    spmd::place_scales(*module_, **machine);
    const std::string placed = text();
    EXPECT_THAT(placed, HasSubstr(std::string("@llvm.x86.avx512.mask.scalef.ps.") + bits));
    EXPECT_THAT(placed, HasSubstr(std::string("@llvm.x86.avx512.mask.scalef.pd.") + bits));
    EXPECT_THAT(placed, Not(HasSubstr("kmux.scale")));
    EXPECT_TRUE(emit_object(*module_, **machine).ok());
  }
}

#endif

}  // namespace
}  // namespace kmux::cpu
