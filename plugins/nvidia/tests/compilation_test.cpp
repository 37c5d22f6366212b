#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"
#include "nvidia/library/launcher_compiler.h"

namespace kmux::nvidia {
namespace {

using ::testing::HasSubstr;

TEST(CompilationTest, RemovesTemporaryFolder) {
  FakeHost host;
  std::string path;
  {
    const Compilation compilation = Compilation::begin(host, "test").value();
    path = compilation.folder().root();
    EXPECT_EQ(compilation.run("look", "/bin/sh", {"-c", "touch $TMPDIR/there; ls; ls $TMPDIR"}).value(), "there\n");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(CompilationTest, ReportsFailedCommandAndLog) {
  FakeHost host;
  const Compilation compilation = Compilation::begin(host, "test").value();
  const auto failed = compilation.run("do it", "/bin/sh", {"-c", "echo noise; echo 'a.cu(3): error: no' >&2; exit 2"});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(failed.error().message, HasSubstr("cannot do it (a.cu(3): error: no)."));
  EXPECT_EQ(failed.error().note("log"), "a.cu(3): error: no\nnoise\n");
  EXPECT_THAT(std::string(failed.error().note("command").value_or("")), HasSubstr("/bin/sh -c"));
}

TEST(CompilationTest, CancelsWhenHostStops) {
  FakeHost host;
  host.is_stopping = true;
  const Compilation compilation = Compilation::begin(host, "test").value();
  const auto stopped = compilation.run("wait", "/bin/sh", {"-c", "sleep 100"});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kmux::nvidia
