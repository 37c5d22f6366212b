// The cpu plugin beside another LLVM in one process: the order and mode of opening them must not matter.
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/manifest.h"
#include "kmux/plugin/process.h"

#include "needs.h"

namespace kmux {
namespace {

using testing::IsEmpty;
using testing::TestWithParam;
using testing::Values;

constexpr const char* kOther = "libclang-cpp.so.15";   // of another release, as PoCL and Mesa load it
constexpr const char* kSame = "libclang-cpp.so.19.1";  // of kmux's release, as a separate copy

ProcessResult child(std::vector<std::string> steps) {
  steps.insert(steps.begin(), KMUX_TEST_BUILD_DIR "/tests/second_llvm_child");
  return run({.argv = steps, .environment = {{"KMUX_DISABLE_CACHE", "1"}}, .timeout = std::chrono::minutes(2)}).value();
}

std::set<std::string> needed_libraries() {
  std::set<std::string> names;
  const auto manifest = read_manifest(KMUX_TEST_BUILD_DIR "/lib/kmux/plugins/kmux_cpu.plugin.json").value();
  for (const NeededLibrary& need : manifest.needs) names.insert(need.library);
  return names;
}

bool is_static() { return needed_libraries().empty(); }

bool is_installed(const std::string& library) { return child({"local:" + library}).exit_code == 0; }

class SecondLlvmTest : public TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!is_installed(GetParam())) GTEST_SKIP() << needs("a second LLVM", GetParam());
  }
  static void expect_success(const std::vector<std::string>& steps) {
    const ProcessResult result = child(steps);
    EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(steps) << "\n" << result.standard_error;
  }
  static std::string local() { return std::string("local:") + GetParam(); }
  static std::string global() { return std::string("global:") + GetParam(); }
};

// A process that compiles must have mapped exactly the libraries that the manifest lists.
TEST(ManifestNeedsTest, MatchMappedLibraries) {
  const ProcessResult result = child({"kmux", "list"});
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  std::istringstream lines(result.standard_output);
  std::set<std::string> mapped;
  for (std::string line; std::getline(lines, line);) mapped.insert(line);
  EXPECT_EQ(mapped, needed_libraries());
}

TEST_P(SecondLlvmTest, WorksWhenBothAreLoadedLocally) {
  expect_success({local(), "kmux", local(), "kmux"});
  expect_success({"kmux", local(), "kmux", local()});
}

// With shared libraries, a plugin's calls would reach the other Clang. Only a statically linked LLVM works in these
// orders.
TEST_P(SecondLlvmTest, WorksInOtherLoadOrdersAndModes) {
  if (!is_static()) GTEST_SKIP() << needs("a build with its own LLVM", "KMUX_STATIC_LLVM is off");
  expect_success({global(), "kmux", global(), "kmux"});
  expect_success({"kmux", global(), "kmux", global()});
  expect_success({local(), "kmux-global", "kmux", local()});
  expect_success({"kmux-global", "kmux", local(), "kmux"});
  expect_success({global(), "kmux-global", "kmux", global()});
  expect_success({"kmux-global", "kmux", global(), "kmux"});
}

INSTANTIATE_TEST_SUITE_P(Releases, SecondLlvmTest, Values(kOther, kSame),
                         [](const auto& suite) { return suite.param == kOther ? "Other" : "Same"; });

}  // namespace
}  // namespace kmux
