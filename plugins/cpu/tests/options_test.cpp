#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<BuildOptions> parse(const Options& options) {
  FakeHost host;
  return parse_options(options, host);
}

TEST(OptionsTest, HaveDefaults) {
  const BuildOptions options = parse({}).value();
  EXPECT_EQ(options.engine, Engine::kClang);
  EXPECT_EQ(options.opt_level, 3);
  EXPECT_EQ(options.tier, Tier::kFull);
  EXPECT_EQ(options.march, "native");
}

TEST(OptionsTest, SplitListsByLine) {
  EXPECT_THAT(parse({{"compile_flags", "-DA=1\n\n-Wall"}}).value().compile_flags, ElementsAre("-DA=1", "-Wall"));
  EXPECT_THAT(parse({{"compile_flags", "-DX=1 -DY=2\n'-DZ=a b'"}}).value().compile_flags,
              ElementsAre("-DX=1", "-DY=2", "-DZ=a b"))
      << "C2.8";
  EXPECT_THAT(parse({{"include_dirs", "/a b\n/c"}}).value().include_dirs, ElementsAre("/a b", "/c"));
}

TEST(OptionsTest, ParseTargetHost) {  // C1.1
  for (const char* kind : {"c", "llvm", "cpu"})
    EXPECT_EQ(parse({{"target_host", kind}}).value().target_host, "") << "as the kernels";
  EXPECT_EQ(parse({{"target_host", "llvm -mcpu=neoverse-v2"}}).value().target_host, "neoverse-v2");
  EXPECT_NE(parse({{"target_host", "cpu:native"}}).value().target_host, "") << "this machine's own";
  EXPECT_THAT(parse({{"target_host", "llvm -mcpu=neoverse-v22"}}).error().message,
              HasSubstr("target_host: processor \"neoverse-v22\" is not known to LLVM. Did you mean"));
  EXPECT_THAT(parse({{"target_host", "{"}}).error().message, HasSubstr("target_host: malformed target"));
}

TEST(OptionsTest, ParseCheckSettings) {
  EXPECT_EQ(parse({}).value().check, CheckOptions{});
  EXPECT_EQ(parse({{"check", "on"}, {"check_seed", "12"}}).value().check, (CheckOptions{true, 12}));
}

TEST(OptionsTest, OverrideHostOptions) {
  FakeHost host;
  host.options = {{"cpu.opt_level", "1"}, {"cpu.engine", "host"}};
  const BuildOptions options = parse_options({{"opt_level", "2"}, {"tier", "fast"}}, host).value();
  EXPECT_EQ(options.tier, Tier::kFast);
  EXPECT_EQ(options.opt_level, 2);
  EXPECT_EQ(options.engine, Engine::kHost);
}

TEST(OptionsTest, AreRejectedByName) {
  struct Case {
    Options options;
    const char* message;
  };
  const Case cases[] = {
      {{{"engines", "host"}},
       "option \"engines\" is not known (given as \"host\"; backend cpu has check, check_seed, compile_flags, "
       "emit, engine, "},
      {{{"engines", "host"}}, "Did you mean 'engine'?"},
      {{{"engine", "gcc"}}, "option \"engine\" cannot be \"gcc\""},
      {{{"opt_level", "4"}}, "option \"opt_level\" cannot be \"4\" (backend cpu). Use a number from 0 to 3."},
      {{{"tier", "tiered"}}, "option \"tier\" cannot be \"tiered\" (backend cpu). Use \"fast\" or \"full\"."},
      {{{"check", "yes"}}, "option \"check\" cannot be \"yes\" (backend cpu)."},
      {{{"check_seed", "-1"}}, "option \"check_seed\" cannot be \"-1\" (backend cpu). Use a number from 0 to 1000000."},
      {{{"opt_level", ""}}, "option \"opt_level\" cannot be \"\""},
      {{{"march", "-x"}}, "option \"march\" cannot be \"-x\""},
      {{{"march", "a b"}}, "option \"march\" cannot be \"a b\""},
      {{{"compile_flags", "-O2\n@file"}}, "compiler flag \"@file\" is not allowed"},
  };
  for (const Case& test : cases) {
    const auto result = parse(test.options);
    ASSERT_FALSE(result.ok()) << test.message;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr(test.message));
  }
}

}  // namespace
}  // namespace kmux::cpu
