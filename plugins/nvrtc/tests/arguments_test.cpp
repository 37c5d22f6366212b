#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compilation.h"

namespace kmux::nvrtc {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

constexpr nvidia::Arch kSm90a{90, 'a'};

TEST(ArgumentsTest, AreMinimalByDefault) {
  EXPECT_THAT(compiler_arguments({}, {}, {"k.cu", ""}, kSm90a, {}),
              ElementsAre("--gpu-architecture=sm_90a", "-default-device", "-std=c++20", "-lineinfo",
                          "-Xptxas=--warn-on-spills"));
}

TEST(ArgumentsTest, ReflectBuildOptions) {
  nvidia::BuildOptions options;
  options.line_info = false;
  options.fast_math = true;
  options.max_registers = 64;
  options.tier = nvidia::Tier::kFast;
  const auto arguments = compiler_arguments(options, {}, {"k.cu", ""}, kSm90a, {});
  EXPECT_THAT(arguments, IsSupersetOf({"--use_fast_math", "--maxrregcount=64", "--Ofast-compile=max"}));
  EXPECT_THAT(arguments, Not(Contains("-lineinfo")));
  EXPECT_THAT(arguments, Not(Contains("-Xptxas=--warn-on-spills"))) << "what comes soon may spill";
}

TEST(ArgumentsTest, OmitLineInfoForDeviceDebug) {
  nvidia::BuildOptions options;
  options.device_debug = true;
  EXPECT_THAT(compiler_arguments(options, {}, {"k.cu", ""}, kSm90a, {}),
              ElementsAre("--gpu-architecture=sm_90a", "-default-device", "-std=c++20", "-G"));
}

TEST(ArgumentsTest, IncludeSettingsAndPreludes) {
  Settings settings;
  settings.fast_math = true;
  settings.standard = "c++17";
  settings.defines = {"A", "B=2"};
  SourceUnit unit{"k.cu", ""};
  unit.preludes = {"first.h", "second.h"};
  EXPECT_THAT(
      compiler_arguments({}, settings, unit, kSm90a, {}),
      ElementsAre("--gpu-architecture=sm_90a", "-default-device", "-std=c++17", "-lineinfo", "--use_fast_math",
                  "-Xptxas=--warn-on-spills", "-DA", "-DB=2", "--pre-include=first.h", "--pre-include=second.h"));
}

TEST(ArgumentsTest, PlaceFlagsBeforeFoldersAndToolkitLast) {
  nvidia::BuildOptions options;
  options.compile_flags = {"-I/flag"};
  options.include_dirs = {"/user"};
  const auto arguments = compiler_arguments(options, {}, {"k.cu", ""}, kSm90a, {"/toolkit"});
  EXPECT_THAT(std::vector<std::string>(arguments.end() - 3, arguments.end()),
              ElementsAre("-I/flag", "-I/user", "-I/toolkit"));
}

TEST(ArgumentsTest, LetFlagOverrideLanguageStandard) {
  for (const char* flag : {"-std=c++17", "--std=c++17"}) {
    nvidia::BuildOptions options;
    options.compile_flags = {flag};
    const auto arguments = compiler_arguments(options, {}, {"k.cu", ""}, kSm90a, {});
    EXPECT_THAT(arguments, Contains(flag));
    EXPECT_THAT(arguments, Not(Contains("-std=c++20")));
  }
}

}  // namespace
}  // namespace kmux::nvrtc
