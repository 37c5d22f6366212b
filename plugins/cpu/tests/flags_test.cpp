#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options.h"

namespace kmux::cpu {
namespace {

TEST(FlagsTest, AcceptsCodeAndWarningFlags) {
  for (const char* flag :
       {"-DN=4", "-DPATH=\"/a\"", "-UN", "-I/opt/include", "-O2", "-Ofast", "-ffast-math", "-fno-strict-aliasing",
        "-mavx2", "-march=znver4", "-Wall", "-Wno-unused", "-w", "-g", "-std=gnu++20", "-pedantic"}) {
    EXPECT_TRUE(check_flags({flag}).ok()) << flag;
  }
}

TEST(FlagsTest, RejectsOtherFlagsByName) {
  for (const char* flag : {"-o",
                           "-o/tmp/x",
                           "-x",
                           "-xcuda",
                           "-Xclang",
                           "-load",
                           "@file",
                           "@/etc/passwd",
                           "file.c",
                           "-c",
                           "-E",
                           "-S",
                           "-v",
                           "-shared",
                           "-lfoo",
                           "-L/lib",
                           "-fplugin=/a.so",
                           "-fpass-plugin=a.so",
                           "-mllvm",
                           "-mllvm=-x",
                           "-Wl,-rpath=/",
                           "-Wa,-a",
                           "-Wp,-MD,x",
                           "-fdump-tree-all",
                           "-fprofile-generate",
                           "-fsanitize=address",
                           "-ftime-trace",
                           "-fcrash-diagnostics-dir=/tmp",
                           "-save-temps",
                           "-MD",
                           "-include",
                           "-isystem",
                           "--config=x",
                           "-flto",
                           "",
                           "-",
                           "-D",
                           "-I",
                           "-###",
                           "-B/tmp",
                           "-fuse-ld=/bin/sh",
                           "-specs=x",
                           "-wrapper",
                           "-fdiagnostics-format=sarif",
                           "-gmodules",
                           "-ftrivial-auto-var-init-max-size=x",
                           "-fpatchable-function-entry=4000000000",
                           "-ftime-report",
                           "-fsave-optimization-record",
                           "-ftemplate-depth=100000",
                           "-fno-such-flag",
                           "-mrecord-mcount",
                           "-print-file-name=x",
                           "-m32"}) {
    const Status status = check_flags({"-O2", flag});
    ASSERT_FALSE(status.ok()) << flag;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message,
                testing::HasSubstr("compiler flag \"" + std::string(flag) + "\" is not allowed"));
  }
}

}  // namespace
}  // namespace kmux::cpu
