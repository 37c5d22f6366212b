#include "nvidia/options.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class NvidiaOptionsTest : public testing::Test {
 protected:
  BuildOptions parse(const Options& options, const char* backend = "nvrtc") {
    return parse_options(options, host, backend).value();
  }
  std::string failure(const Options& options, const char* backend = "nvrtc") {
    const auto parsed = parse_options(options, host, backend);
    return parsed ? "it worked" : parsed.error().message;
  }
  FakeHost host;
};

TEST_F(NvidiaOptionsTest, HaveDefaults) {
  const BuildOptions options = parse({});
  EXPECT_FALSE(options.fast_math);
  EXPECT_TRUE(options.line_info);
  EXPECT_FALSE(options.device_debug);
  EXPECT_FALSE(options.graph);
  EXPECT_EQ(options.max_registers, 0);
  EXPECT_EQ(options.shared_carveout, -1);
  EXPECT_EQ(options.tier, Tier::kFull);
  EXPECT_TRUE(options.compile_flags.empty());
}

TEST_F(NvidiaOptionsTest, AreParsedFromText) {
  const BuildOptions options = parse({{"compile_flags", "-DA\n\n'-DB=x y'"},
                                      {"include_dirs", "/a\n/b/../c"},
                                      {"fast_math", "on"},
                                      {"max_registers", "64"},
                                      {"line_info", "off"},
                                      {"device_debug", "on"},
                                      {"graph", "on"},
                                      {"shared_carveout", "75"},
                                      {"tier", "fast"}});
  EXPECT_THAT(options.compile_flags, ElementsAre("-DA", "-DB=x y"));
  EXPECT_THAT(options.include_dirs, ElementsAre("/a", "/c"));
  EXPECT_TRUE(options.fast_math);
  EXPECT_EQ(options.max_registers, 64);
  EXPECT_FALSE(options.line_info);
  EXPECT_TRUE(options.device_debug);
  EXPECT_TRUE(options.graph);
  EXPECT_EQ(options.shared_carveout, 75);
  EXPECT_EQ(options.tier, Tier::kFast);
}

TEST_F(NvidiaOptionsTest, RelativeFoldersResolveToWorkingDirectory) {
  EXPECT_THAT(parse({{"include_dirs", "here"}}).include_dirs,
              ElementsAre((std::filesystem::current_path() / "here").string()));
}

TEST_F(NvidiaOptionsTest, MissingOptionsComeFromHostByBackend) {
  host.options["nvrtc.max_registers"] = "32";
  host.options["cuda.max_registers"] = "48";
  EXPECT_EQ(parse({}).max_registers, 32);
  EXPECT_EQ(parse({}, "cuda").max_registers, 48);
  EXPECT_EQ(parse({{"max_registers", "64"}}).max_registers, 64);
}

TEST_F(NvidiaOptionsTest, UnknownOptionIsRejectedWithSuggestion) {
  const std::string text = failure({{"max_register", "64"}});
  EXPECT_THAT(
      text, AllOf(HasSubstr("option \"max_register\" is not known (given as \"64\"; backend nvrtc has compile_flags, "),
                  HasSubstr("Did you mean 'max_registers'?"), Not(HasSubstr("host_compiler"))));
}

TEST_F(NvidiaOptionsTest, HostCompilerIsCudaBackendOnly) {
  EXPECT_EQ(parse({{"host_compiler", "g++"}}, "cuda").host_compiler, "g++");
  EXPECT_THAT(failure({{"host_compiler", "g++"}}), HasSubstr("\"host_compiler\" is not known"));
}

TEST_F(NvidiaOptionsTest, LinkTimeOptimizationIsNvrtcBackendOnly) {
  EXPECT_TRUE(parse({{"lto", "on"}}).lto);
  EXPECT_FALSE(parse({}).lto);
  EXPECT_FALSE(parse_options({{"lto", "on"}}, host, "cuda").ok());
}

TEST_F(NvidiaOptionsTest, InvalidValuesAreRejectedWithValidOnes) {
  EXPECT_THAT(failure({{"fast_math", "yes"}}),
              HasSubstr("option \"fast_math\" cannot be \"yes\" (backend nvrtc). Use \"on\" or \"off\"."));
  EXPECT_THAT(failure({{"graph", ""}}), HasSubstr("cannot be \"\""));
  EXPECT_THAT(failure({{"tier", "best"}}), HasSubstr("Use \"fast\" or \"full\"."));
  for (const char* value : {"", "15", "256", "64 ", "x"}) {
    EXPECT_THAT(failure({{"max_registers", value}}), HasSubstr("Use a number from 16 to 255.")) << value;
  }
  EXPECT_THAT(failure({{"shared_carveout", "101"}}), HasSubstr("Use a number from 0 to 100."));
  EXPECT_THAT(failure({{"compile_flags", "-DA\n-o"}}), HasSubstr("\"-o\" is not allowed"));
}

}  // namespace
}  // namespace kmux::nvidia
