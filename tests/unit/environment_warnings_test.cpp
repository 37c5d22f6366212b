// Warnings about the environment (C2.15).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/plugin_search.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings(const std::map<std::string, std::string>& variables, bool secure = false) {
  const Manifest cuda = {
      .name = "cuda", .environment = {{"cuda.home", {"KMUX_CUDA_HOME", "CUDA_HOME"}}, {"nvidia.nvtx", {"KMUX_NVTX"}}}};
  return environment_warnings(Environment::from(variables, secure), {{{}, cuda, Ok{}}});
}

TEST(EnvironmentWarningsTest, AcceptsKnownVariables) {
  EXPECT_THAT(warnings({{"KMUX_TARGET", "cuda"},
                        {"KMUX_CUDA_HOME", "/"},
                        {"KMUX_NVTX", "1"},
                        {"KMUX_DISABLE_CACHE", "Yes"},
                        {"KMUX_VERBOSE", "off"},
                        {"KMUX_PLUGIN_PATH", "/:/usr"},
                        {"KMUX_OPTION_CUDA_COMPILE_FLAGS", "-O1"},
                        {"KMUX_OPTION_NVIDIA_NVTX", "1"},
                        {"KMUX_FAKE_CUDA_SEED", "3"},
                        {"KMUX_TARGT", ""},
                        {"PATH", "/nowhere"}}),
              IsEmpty());
}

TEST(EnvironmentWarningsTest, SuggestsNearestNameForUnknownVariable) {
  EXPECT_THAT(
      warnings({{"KMUX_TARGT", "cuda"}}),
      ElementsAre("KMUX_TARGT is set, but neither kmux nor a plugin that is here reads it. Did you mean 'KMUX_TARGET'? "
                  "docs/environment.md lists the variables."));
  EXPECT_THAT(warnings({{"KMUX_CUDA_HOM", "/usr"}}), ElementsAre(HasSubstr("Did you mean 'KMUX_CUDA_HOME'?")));
}

TEST(EnvironmentWarningsTest, ReportsMissingPaths) {
  EXPECT_THAT(
      warnings({{"KMUX_PLUGIN_PATH", "/usr:/nowhere"}, {"KMUX_CUDA_HOME", "/nowhere/cuda"}}),
      ElementsAre(
          "KMUX_CUDA_HOME names \"/nowhere/cuda\", which is not there. Correct the path, or unset the variable.",
          HasSubstr("KMUX_PLUGIN_PATH names \"/nowhere\"")));
}

TEST(EnvironmentWarningsTest, ReportsMissingPathsOfEachVariable) {
  for (const char* const name : {"KMUX_LOCK_FILE", "KMUX_REMOTE_CACHE_KEY_FILE", "KMUX_COMPILER_READS",
                                 "KMUX_COMPILER_WRITES", "KMUX_CACHE_RO", "KMUX_TVM_FFI_LIBRARY"}) {
    EXPECT_THAT(warnings({{name, "/nowhere"}}),
                ElementsAre(HasSubstr(std::string(name) + " names \"/nowhere\", which is not there")));
    EXPECT_THAT(warnings({{name, "/usr"}}), IsEmpty());
  }
  EXPECT_THAT(warnings({{"KMUX_COMPILER_READS", "/usr:/nowhere:/bin"}}), testing::SizeIs(1));
}

TEST(EnvironmentWarningsTest, LeavesReportedPathsToTheirReaders) {
  EXPECT_THAT(warnings({{"KMUX_LOCK_FILE", "/nowhere"}, {"KMUX_POLICY", "pinned"}}), IsEmpty());
  EXPECT_THAT(warnings({{"KMUX_REMOTE_CACHE_KEY_FILE", "/nowhere"}, {"KMUX_REMOTE_CACHE", "redis://here"}}), IsEmpty());
}

// A loop of links stands for a folder that may not be entered: as root, every folder may.
TEST(EnvironmentWarningsTest, DistinguishesUnreachablePathsFromMissingOnes) {
  const TempFolder folder;
  const std::string loop = (folder.path() / "loop").string();
  std::filesystem::create_symlink(loop, loop);
  EXPECT_THAT(warnings({{"KMUX_PLUGIN_PATH", loop}}),
              ElementsAre(HasSubstr("which this process cannot reach (Too many levels of symbolic links). Correct")));
  EXPECT_THAT(warnings({{"KMUX_CACHE_RO", loop}}), IsEmpty()) << "the cache has a warning about it";
}

TEST(EnvironmentWarningsTest, ReportsInvalidSwitchValue) {
  for (const char* const name : {"KMUX_DISABLE_CACHE", "KMUX_NVTX", "KMUX_ROCTX", "KMUX_LAUNCH_BLOCKING"}) {
    EXPECT_THAT(warnings({{name, "ja"}}),
                ElementsAre(HasSubstr(std::string(name) + " is \"ja\", which counts as \"off\"")));
  }
}

TEST(EnvironmentWarningsTest, ReportsUnknownPluginOptions) {
  EXPECT_THAT(warnings({{"KMUX_OPTION_CUDDA_FLAGS", "1"}}),
              ElementsAre(AllOf(HasSubstr("option \"cudda.flags\""), HasSubstr("Did you mean 'cuda'?"))));
  EXPECT_THAT(warnings({{"KMUX_OPTION_CUDA", "1"}}), ElementsAre(HasSubstr("names no option of a plugin")));
}

TEST(EnvironmentWarningsTest, AreEmptyWhenSecure) {
  EXPECT_THAT(warnings({{"KMUX_TARGT", "cuda"}, {"KMUX_PLUGIN_PATH", "/nowhere"}}, /*secure=*/true), IsEmpty());
}

}  // namespace
}  // namespace kmux
