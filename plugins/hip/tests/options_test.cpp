#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"

namespace kmux::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Error refusal(const Options& options) {
  const FakeHost host;
  return parse_options(options, host).error();
}

TEST(HipOptionsTest, HaveDefaults) {
  const FakeHost host;
  const BuildOptions options = parse_options({}, host).value();
  EXPECT_EQ(options.engine, Engine::kAuto);
  EXPECT_FALSE(options.fast_math);
  EXPECT_FALSE(options.graph);
}

TEST(HipOptionsTest, OverrideHost) {
  FakeHost host;
  host.options = {{"hip.engine", "hiprtc"}, {"hip.fast_math", "on"}, {"hip.graph", "on"}};
  const BuildOptions options = parse_options({{"engine", "clang"}, {"compile_flags", "-DN=4\n-O1"}}, host).value();
  EXPECT_EQ(options.engine, Engine::kClang);
  EXPECT_TRUE(options.fast_math);
  EXPECT_TRUE(options.graph);
  EXPECT_THAT(options.compile_flags, ElementsAre("-DN=4", "-O1"));
}

TEST(HipOptionsTest, RejectUnknownNamesAndInvalidValues) {
  EXPECT_THAT(refusal({{"engin", "clang"}}).message, HasSubstr("Did you mean 'engine'?"));
  EXPECT_THAT(refusal({{"engine", "nvcc"}}).message, HasSubstr("cannot be \"nvcc\""));
  EXPECT_THAT(refusal({{"fast_math", "yes"}}).message, HasSubstr("\"on\" or \"off\""));
  EXPECT_THAT(refusal({{"graph", "perhaps"}}).message, HasSubstr("\"graph\""));
  EXPECT_EQ(refusal({{"engine", "nvcc"}}).code, ErrorCode::kInvalidArgument);
}

TEST(HipOptionsTest, RejectUnsafeFlags) {
  for (const char* flag : {"-o", "-ofile", "-Wl,-T,x", "-fplugin=x.so", "@file", "-Xclang", "-load", "-include x", "-D",
                           "-save-temps", "--ld-path=/bin/sh", "-B/tmp"}) {
    EXPECT_THAT(refusal({{"compile_flags", flag}}).message, HasSubstr("is not allowed")) << flag;
  }
}

}  // namespace
}  // namespace kmux::hip
