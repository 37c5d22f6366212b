#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvidia/options.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FlagsTest, CompilationFlagsAreAccepted) {
  for (const char* flag : {"-DN=4",
                           "-D_GLIBCXX_X",
                           "-UN",
                           "-I/opt/my headers",
                           "-std=c++17",
                           "--std=c++20",
                           "-O3",
                           "-w",
                           "-G",
                           "-lineinfo",
                           "-use_fast_math",
                           "--use_fast_math",
                           "--fmad=false",
                           "-ftz=true",
                           "--maxrregcount=64",
                           "-default-device",
                           "--expt-relaxed-constexpr",
                           "--extended-lambda",
                           "-Xptxas=-v",
                           "-Xptxas=-O1,-dlcm=ca",
                           "-Xptxas=--register-usage-level=10",
                           "-Wno-deprecated-declarations",
                           "--ptxas-options=--warn-on-spills",
                           "--Ofast-compile=max",
                           "--diag-suppress=177",
                           "--minimal",
                           "--restrict"}) {
    EXPECT_TRUE(check_flags({flag}, "nvrtc").ok()) << flag;
  }
}

TEST(FlagsTest, UnsafeOrIncompleteFlagsAreRejected) {
  for (const char* flag : {"-o",
                           "-ofile",
                           "--output-file=x",
                           "-c",
                           "-ptx",
                           "-cubin",
                           "-arch=sm_80",
                           "--gpu-architecture=sm_80",
                           "-L/tmp",
                           "-lfoo",
                           "-Xcompiler=-fplugin=x.so",
                           "-Xlinker=-x",
                           "-ccbin=/tmp/evil",
                           "--compiler-bindir=/tmp",
                           "-optf=x",
                           "--options-file=x",
                           "@file",
                           "-keep",
                           "--keep-dir=/tmp",
                           "-MD",
                           "-MF/tmp/x",
                           "--time=/tmp/x",
                           "--create-pch=x",
                           "--use-pch=x",
                           "--pch",
                           "--pch-dir=/tmp",
                           "--fdevice-time-trace=x",
                           "-include=x.h",
                           "--pre-include=x",
                           "-dlto",
                           "-rdc=true",
                           "-run",
                           "--dryrun",
                           "-x",
                           "source.cu",
                           "",
                           "-D",
                           "-I",
                           "-std=",
                           "--maxrregcount",
                           "64",
                           "-Xptxas",
                           "-Xptxas=-o,/tmp/x",
                           "-Xptxas=--output-file=x",
                           "-Xptxas=-v,-o=x",
                           "-Xptxas=-dlcm=/x"}) {
    const Status status = check_flags({"-w", flag}, "cuda");
    ASSERT_FALSE(status.ok()) << flag;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message,
                AllOf(HasSubstr("\"" + std::string(flag) + "\" is not allowed"), HasSubstr("backend cuda")));
  }
}

}  // namespace
}  // namespace kmux::nvidia
