// Warnings about the environment (C2.15).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/plugin_search.h"

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

TEST(EnvironmentWarningsTest, ReportsInvalidSwitchValue) {
  for (const char* const name : {"KMUX_DISABLE_CACHE", "KMUX_NVTX", "KMUX_ROCTX"}) {
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
