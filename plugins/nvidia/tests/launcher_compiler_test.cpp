#include "nvidia/library/launcher_compiler.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

#include "golden/programs.h"
#include "launchers.h"

namespace kmux::nvidia {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string said_of(const std::string& library, const std::vector<std::string>& tool) {
  const PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  EXPECT_TRUE(folder.write("l.so", library));
  Command command{tool, folder.path()};
  command.argv.emplace_back("l.so");
  return run(command).value().standard_output;
}

std::vector<std::string> exports_of(const std::string& library) {
  std::istringstream lines(said_of(library, {"nm", "-D", "--defined-only", "--extern-only"}));
  std::vector<std::string> names;
  for (std::string address, kind, name; lines >> address >> kind >> name;) names.push_back(name);
  return names;
}

TEST(LauncherCompilerTest, BuildsLibraryWithoutDriverDependency) {
  const std::string library = library_of(kmux::test::golden_programs().front()).value();
  EXPECT_THAT(exports_of(library),
              ElementsAre("call", "get_last_error", "init", "kmux_launcher_call", "kmux_launcher_close",
                          "kmux_launcher_open", "kmux_launcher_prepare", "kmux_launcher_variable"));
  const std::string needed = said_of(library, {"readelf", "-d"});
  EXPECT_THAT(needed, HasSubstr("NEEDED"));
  EXPECT_THAT(needed, Not(HasSubstr("libcuda")));
  EXPECT_THAT(library, HasSubstr(kFakeCode));
}

TEST(LauncherCompilerTest, ReportsCommandAndLogOnFailure) {
  FakeHost host;
  const Compilation compilation = Compilation::begin(host, "test").value();
  const LauncherCompiler compiler(compilation, find_host_compiler("", "the test").value());
  const Status status = compiler.translate("int f() { return y; }");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(status.error().message, HasSubstr("cannot compile the launcher (kmux-launcher.cpp:1:"));
  EXPECT_THAT(std::string(status.error().note("command").value_or("")), HasSubstr("-std=c++17"));
}

TEST(LauncherCompilerTest, ReportsMissingCompiler) {
  FakeHost host;
  const Compilation compilation = Compilation::begin(host, "test").value();
  const Status status = LauncherCompiler(compilation, "/nowhere/c++").translate("");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux::nvidia
