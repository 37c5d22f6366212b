#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/device_part.h"

#include "jobs.h"
#include "simt/compiler.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"

namespace kmux::simt {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(MissingHeaderTest, IsParsedFromCompilerOutput) {
  EXPECT_EQ(missing_header("a.c:1:10: fatal error: 'stdio.h' file not found\n    1 | #include <stdio.h>\n"), "stdio.h");
  EXPECT_EQ(missing_header("a.c:1:1: error: unknown type name 'x'\n"), "");
  EXPECT_EQ(missing_header("' file not found"), "");
}

TEST(MissingHeaderTest, AdvisesPackageToInstall) {
  EXPECT_THAT(advice_for_header("stdio.h"), HasSubstr("apt-get install libc6-dev"));
  EXPECT_THAT(advice_for_header("bits/wordsize.h"), HasSubstr("apt-get install libc6-dev"));
  EXPECT_THAT(advice_for_header("vector"), HasSubstr("apt-get install libstdc++-12-dev"));
  EXPECT_EQ(advice_for_header("stddef.h"), "") << "Clang's own headers are there";
  EXPECT_EQ(advice_for_header("my/own.h"), "");
}

// The message for these headers must be the same as on a GPU.
TEST(MissingHeaderTest, GivesNoInstallAdviceForGpuSources) {
  for (const char* const name : {"vector", "linux/futex.h", "execinfo.h", "my/own.h"}) {
    CompileJob job;
    job.files = {{"k.cu", "#include <" + std::string(name) + ">\n"}};
    job.units = {{"k.cu", Language::kCuda, {"-std=c++20"}}};
    job.cpu = kOtherCpu;
    const Error error = Compiler().compile(job).error();
    const std::string advice = advice_for_missing_header(name);
    EXPECT_EQ(error.message.find(" Sources for GPUs have kmux's own headers") == error.message.npos, advice.empty())
        << name;
    EXPECT_THAT(error.message, EndsWith(advice)) << name;
    EXPECT_THAT(error.message, Not(HasSubstr("apt-get"))) << name;
  }
}

TEST(MissingHeaderTest, AddsAdviceToError) {
  CompileJob job;
  job.files = {{"kernel.cpp", "#include <no_such_header>\nvoid kernel() {}\n"}};
  job.units = {{"kernel.cpp", Language::kCpp, {"-std=c++17"}}};
  job.cpu = kOtherCpu;
  const auto compiled = Compiler().compile(job);
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(compiled.error().message,
              AllOf(HasSubstr("'no_such_header' file not found"), EndsWith("apt-get install libstdc++-12-dev.")));
}

TEST(MissingHeaderTest, LeavesOtherErrorsUnchanged) {
  const Error error = make_error(ErrorCode::kCompileFailed, "cannot compile.");
  EXPECT_EQ(with_advice(error, "error: 'kernel.h' file not found").message, "cannot compile.");
  EXPECT_THAT(with_advice(error, "fatal error: 'math.h' file not found").message, Not(EndsWith("compile.")));
}

}  // namespace
}  // namespace kmux::simt
