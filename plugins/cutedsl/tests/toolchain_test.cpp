#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/private_folder.h"

#include "backend.h"
#include "builder.h"
#include "fake_host.h"

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ToolchainTest : public testing::Test {
 protected:
  ToolchainTest() {
    const std::string packages = "venv/lib/python3.11/site-packages/nvidia_cutlass_dsl-4.8.1.dist-info/RECORD";
    folder.write("venv/pyvenv.cfg", "").value();
    folder.write("venv/bin/python3", "#!/bin/sh\n").value();
    folder.write(packages, "").value();
    fs::permissions(program, fs::perms::owner_all);
    host.options = {{"cutedsl.python", program}, {"kmux.cache_dir", folder.path() + "/cache"}};
  }
  PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  std::string program = folder.path() + "/venv/bin/python3";
  FakeHost host;
};

TEST_F(ToolchainTest, RemembersRemovedToolchain) {
  EXPECT_FALSE(has_kept_toolchain(host));
  const Json before = identify_toolchain(host, {}).value();
  EXPECT_TRUE(has_kept_toolchain(host));
  fs::remove_all(folder.path() + "/venv");
  EXPECT_EQ(identify_toolchain(host, {}).value(), before);
  EXPECT_THAT(host.log, HasSubstr("using what was built before: no Python with CuTe DSL"));
}

TEST_F(ToolchainTest, CurrentToolchainOverridesRemembered) {
  const Json before = identify_toolchain(host, {}).value();
  folder.write("venv/bin/python3", "#!/bin/sh\nanother\n").value();
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_NE(identify_toolchain(host, {}).value(), before);
}

TEST_F(ToolchainTest, UnknownToolchainIsAnError) {
  fs::remove_all(folder.path() + "/venv");
  EXPECT_EQ(identify_toolchain(host, {}).error().code, ErrorCode::kUnavailable);
  host.options.erase("kmux.cache_dir");
  EXPECT_EQ(identify_toolchain(host, {}).error().code, ErrorCode::kUnavailable);
}

TEST_F(ToolchainTest, DeterminesBuildAvailability) {
  CuteDslBackend backend(host);
  EXPECT_TRUE(backend.probe().value().can_build.ok());
  fs::remove_all(folder.path() + "/venv");
  const Availability missing = backend.probe().value().can_build;
  EXPECT_EQ(missing.code, "no_toolchain");
  EXPECT_THAT(missing.reason, HasSubstr("pip install"));
}

TEST_F(ToolchainTest, RemovalKeepsCacheUsable) {
  CuteDslBackend backend(host);
  const Target target{"cuda", "sm_90a", {}};
  const std::string before = backend.builder().toolchain(target, {}).value();
  fs::remove_all(folder.path() + "/venv");
  EXPECT_TRUE(backend.probe().value().can_build.ok());
  EXPECT_EQ(backend.builder().toolchain(target, {}).value(), before);
}

}  // namespace
}  // namespace kmux::cutedsl
