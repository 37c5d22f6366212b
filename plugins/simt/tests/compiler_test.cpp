
#include "simt/compiler.h"

#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_output.h"
#include "jobs.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"

namespace kmux::simt {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

int call(const CompileJob& job, int x) {
  Compiler compiler;
  return compile_and_load(compiler, job).value()(x);
}

Error failure(const CompileJob& job) {
  Compiler compiler;
  const auto result = compiler.compile(job);
  return result ? Error{ErrorCode::kOk, "compiled"} : result.error();
}

TEST(CompilerTest, CompilesC) { EXPECT_EQ(call(job_of("f.c", "int f(int x) { return x + 1; }"), 41), 42); }

TEST(CompilerTest, CompilesCppWithStandardLibrary) {
  EXPECT_EQ(call(job_of("f.cpp",
                        "#include <algorithm>\n#include <vector>\n"
                        "extern \"C\" int f(int x) { std::vector<int> v{3, x, 7};"
                        " return *std::max_element(v.begin(), v.end()); }"),
                 12),
            12);
}

TEST(CompilerTest, LinksCAndCppSources) {
  CompileJob job = job_of("f.cpp", "extern \"C\" int g(int); extern \"C\" int f(int x) { return g(x) + 1; }");
  job.files.push_back({"sub/g.c", "static int k = 10; int g(int x) { return k * x; }"});
  job.units.push_back({"sub/g.c", Language::kC, {}});
  EXPECT_EQ(call(job, 4), 41);
}

TEST(CompilerTest, FindsProgramHeadersInMemory) {
  CompileJob job =
      job_of("src/f.c", "#include <lib/ten.h>\n#include \"near.h\"\nint f(int x) { return x * TEN + NEAR; }");
  job.files.push_back({"lib/ten.h", "#define TEN 10\n"});
  job.files.push_back({"src/near.h", "#define NEAR 2\n"});
  EXPECT_EQ(call(job, 4), 42);
}

TEST(CompilerTest, IgnoresFilesInWorkingDirectory) {
  const Error error = failure(job_of("f.c", "#include \"CMakeCache.txt\"\nint f(int x) { return x; }"));
  EXPECT_THAT(error.message, HasSubstr("'CMakeCache.txt' file not found"));
}

TEST(CompilerTest, HonorsArguments) {
  CompileJob job = job_of("f.c", "int f(int x) { return x * N; }");
  job.files.push_back({"n.h", "#define N 3\n"});
  job.units[0].arguments = {"-include", "n.h"};
  EXPECT_EQ(call(job, 5), 15);
  job.units[0].arguments = {"-DN=4"};
  EXPECT_EQ(call(job, 5), 20);
}

TEST(CompilerTest, ReportsErrorsAtUserLines) {
  const Error error = failure(job_of("lib/f.c", "int f(int x) {\n  int y = x;\n  return z + y;\n}\n"));
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("lib/f.c:3:10: error: use of undeclared identifier 'z'"));
  EXPECT_THAT(std::string(error.note("log").value_or("")), HasSubstr("    3 |   return z + y;\n      |          ^\n"));
}

TEST(CompilerTest, HonorsLineDirectives) {
  const Error error = failure(job_of("f.c", "#line 77 \"origin.py\"\nint f(int x) { return y; }\n"));
  EXPECT_THAT(error.message, HasSubstr("origin.py:77:23: error:"));
}

TEST(CompilerTest, KeepsWarningsOnSuccess) {
  Compiler compiler;
  CompileJob job = job_of("f.c", "int f(int x) { int unused = 3; return x; }");
  job.units[0].arguments.push_back("-Wall");
  EXPECT_THAT(compiler.compile(job).value().log, HasSubstr("f.c:1:20: warning: unused variable 'unused'"));
}

TEST(CompilerTest, WritesNothingToStderr) {
  const std::string text = captured_stderr([] {
    (void)failure(job_of("f.c", "int f(int x) { return y; }"));
    (void)failure(job_of("f.c", "#warning \"careful\"\nint f(int x) { __asm__(\"bogus\"); return x; }"));
    (void)failure(job_of("f.c", "int g(int x) { return x; }"));
    CompileJob job = job_of("f.c", "int f(int x) { return x; }");
    job.units[0].arguments = {"-fno-such-flag"};
    (void)failure(job);
  });
  EXPECT_EQ(text, "");
}

TEST(CompilerTest, ReportsCodeGeneratorErrors) {
  const Error error = failure(job_of("f.c", "int f(int x) { __asm__(\"bogus %0\" : \"+r\"(x)); return x; }"));
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  const bool is_arm = is_aarch64(host_triple());  // each assembler has its own syntax
  EXPECT_THAT(error.message, HasSubstr(is_arm ? "<inline asm>:1:2: unrecognized instruction mnemonic"
                                              : "invalid instruction mnemonic 'bogus'"));
}

TEST(CompilerTest, RejectsUnknownFlags) {
  CompileJob job = job_of("f.c", "int f(int x) { return x; }");
  job.units[0].arguments = {"-fno-such-flag"};
  const Error error = failure(job);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("unknown argument: '-fno-such-flag'"));
}

// C2.16: the error code shared by all backends.
TEST(CompilerTest, ReportsMissingKernelAndAvailableFunctions) {
  const Error error = failure(job_of("f.c", "int g(int x) { return x; } int h(void) { return 1; }"));
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("do not define kernel \"f\""));
  EXPECT_THAT(error.message, HasSubstr("the functions are: g, h"));
}

TEST(CompilerTest, ReportsKernelWithoutExternC) {
  const Error error = failure(job_of("f.cpp", "namespace n { int f(int x) { return x; } }"));
  EXPECT_THAT(error.message, HasSubstr("there is the C++ function \"n::f(int)\""));
  EXPECT_THAT(error.message, HasSubstr("name the kernel \"_ZN1n1fEi\""));
}

TEST(CompilerTest, ReportsStaticKernel) {
  const Error error = failure(job_of("f.c", "static int f(int x) { return x; } int g(int x) { return f(x); }"));
  EXPECT_THAT(error.message, HasSubstr("do not define kernel \"f\" (it is static)"));
}

TEST(CompilerTest, RejectsMismatchedKernelType) {
  const Error error = failure(job_of("f.c", "int f(long long x) { return (int)x; }"));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("kernel \"f\" has the type i32 (i64)"));
  EXPECT_THAT(error.message, HasSubstr("calls it as i32 (i32)"));
}

TEST(CompilerTest, RejectsOtherCallingConventions) {
  const Error error = failure(job_of("f.c", "__attribute__((ms_abi)) int f(int x) { return x; }"));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("kernel \"f\" has another calling convention"));
}

TEST(CompilerTest, PassesHalfPrecisionAsBits) {
  CompileJob job = job_of("f.c", "int f(_Float16 x, __bf16 y) { return (int)(float)x * 100 + (int)(float)y; }");
  job.launcher =
      "extern \"C\" int f(unsigned short, unsigned short);\n"
      "extern \"C\" int entry(int x) { return f((unsigned short)x, 0x40A0); }";
  EXPECT_EQ(call(job, 0x4400), 405);
}

TEST(CompilerTest, PassesBoolAsByte) {
  CompileJob job = job_of("f.c", "#include <stdbool.h>\nint f(bool a, unsigned char b) { return a * 10 + b; }");
  job.launcher =
      "extern \"C\" int f(bool, bool);\nextern \"C\" int entry(int x) { return f((x & 2) != 0, (x & 1) != 0); }";
  EXPECT_EQ(call(job, 3), 11);
  EXPECT_EQ(call(job, 1), 1);
  EXPECT_EQ(call(job, 2), 10);
}

TEST(CompilerTest, ReportsDuplicateFunction) {
  CompileJob job = job_of("f.c", "int f(int x) { return x; }");
  job.files.push_back({"g.c", "int f(int x) { return -x; }"});
  job.units.push_back({"g.c", Language::kC, {}});
  const Error error = failure(job);
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("symbol multiply defined"));
}

TEST(CompilerTest, ReportsRequiredFeatures) {
  Compiler compiler;
  CompileJob job = job_of("f.c", "int f(int x) { return x; }");
#if defined(__aarch64__)
  job.cpu = "cortex-a57";
  EXPECT_THAT(compiler.compile(job).value().features, Not(Contains("sve")));
  job.cpu = "neoverse-v2";
  EXPECT_THAT(compiler.compile(job).value().features, IsSupersetOf({"neon", "sve", "sve2"}));
#else
  job.cpu = "x86-64";
  EXPECT_THAT(compiler.compile(job).value().features, Not(Contains("avx2")));
  job.cpu = "x86-64-v3";
  EXPECT_THAT(compiler.compile(job).value().features, Contains("avx2"));
  job.cpu = "x86-64";
  job.units[0].arguments.push_back("-mavx512f");
  if (host_cpu().features.contains("avx512f")) {
    EXPECT_THAT(compiler.compile(job).value().features, Contains("avx512f"));
  }
#endif
}

TEST(CompilerTest, RemovesUncalledFunctions) {
  Compiler compiler;
  const auto object = compiler.compile(job_of("f.c", "int other(int x) { return x; } int f(int x) { return x + 1; }"));
  EXPECT_THAT(object.value().object, Not(HasSubstr("other")));
  EXPECT_THAT(object.value().object, HasSubstr("entry"));
}

// A kernel's parameters carry more facts about its pointers than the launcher's loads do.
TEST(CompilerTest, KeepsKernelSeparateFromLauncher) {
  Compiler compiler;
  CompileJob job = job_of("f.c", "static int part(int x) { return x + 1; } int whole(int x) { return part(x); }");
  job.kernels = {"whole"};
  job.launcher = "extern \"C\" int whole(int);\nextern \"C\" int entry(int x) { return whole(x); }\n";
  const auto object = compiler.compile(job);
  EXPECT_THAT(object.value().object, HasSubstr("whole"));
  EXPECT_THAT(object.value().object, Not(HasSubstr("part")));
}

// The sizes of the two arrays differ by a quarter of a line, so without alignment one would not begin on a line.
TEST(CompilerTest, AlignsStackArraysToCacheLines) {
  EXPECT_EQ(call(job_of("f.c",
                        "__attribute__((noinline)) static int rest(volatile char* p) {\n"
                        "  __asm__ volatile(\"\" : \"+r\"(p));\n"
                        "  return (int)((__UINTPTR_TYPE__)p % 64);\n}\n"
                        "int f(int x) { volatile char a[64], b[80]; a[x] = b[x] = 1; return rest(a) + rest(b); }"),
                 0),
            0);
}

// Code for other argument values is not compiled: it would take most of tier fast's time for a choice by template.
TEST(CompilerTest, SpecializesKernelForLauncherConstants) {
  Compiler compiler;
  CompileJob job = job_of("f.c",
                          "#define APART __attribute__((noinline)) static int\n"
                          "APART taken(int x) { return x * 3; } APART left_out(int x) { return x * 5; }\n"
                          "int whole(int x, int kind) { return kind == 0 ? taken(x) : left_out(x); }");
  job.kernels = {"whole"};
  job.launcher = "extern \"C\" int whole(int, int);\nextern \"C\" int entry(int x) { return whole(x, 0); }\n";
  for (const Tier tier : {Tier::kFast, Tier::kFull}) {
    job.tier = tier;
    const auto object = compiler.compile(job);
    EXPECT_THAT(object.value().object, HasSubstr("taken"));
    EXPECT_THAT(object.value().object, Not(HasSubstr("left_out")));
  }
}

TEST(CompilerTest, IsDeterministic) {
  Compiler compiler;
  const CompileJob job = job_of("f.cpp", "#include <cmath>\nextern \"C\" int f(int x) { return (int)std::sqrt(x); }");
  EXPECT_EQ(compiler.compile(job).value().object, compiler.compile(job).value().object);
}

TEST(CompilerTest, CompilesInManyThreads) {
  Compiler compiler;
  constexpr int kThreads = 8;
  constexpr int kKernels = 6;
  std::array<int, kThreads> wrong{};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < kKernels; ++k) {
        const int n = t * kKernels + k;
        const auto job = job_of("f.c", "int f(int x) { return x * 1000 + " + std::to_string(n) + "; }");
        const auto loaded = compile_and_load(compiler, job);
        if (!loaded || (*loaded)(7) != 7000 + n) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

}  // namespace
}  // namespace kmux::simt
