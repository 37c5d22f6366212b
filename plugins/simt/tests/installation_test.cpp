#include "simt/frontend/installation.h"

#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::simt {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

TEST(InstallationTest, FindsClangHeaders) {
  EXPECT_TRUE(fs::exists(fs::path(resource_dir().value()) / "include/stddef.h"));
}

TEST(InstallationTest, UsesFirstFolderWithHeaders) {
  const fs::path found = resource_dir().value();
  const std::vector<fs::path> folders = {"/nowhere", found, "/usr"};
  EXPECT_EQ(first_resource_dir(folders).value(), found.string());
}

TEST(InstallationTest, ReportsPackageToInstall) {
  const std::vector<fs::path> folders = {"/nowhere", "/not/here"};
  const auto missing = first_resource_dir(folders);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("searched \"/nowhere\", \"/not/here\""));
  EXPECT_THAT(missing.error().message, HasSubstr("apt-get install libclang-common-19-dev"));
}

TEST(InstallationTest, DefaultsToInstalledResourceFolder) {
  EXPECT_EQ(resource_dir_or_default(), resource_dir().value());
}

TEST(InstallationTest, ReportsLlvmVersion) { EXPECT_THAT(compiler_version(), testing::StartsWith("LLVM 19.1")); }

TEST(InstallationTest, ReportsItsOwnFile) { EXPECT_EQ(fs::path(own_library()).filename(), "kmux_simt_test"); }

}  // namespace
}  // namespace kmux::simt
