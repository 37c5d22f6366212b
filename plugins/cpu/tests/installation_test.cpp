#include "engine/installation.h"

#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::cpu {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

TEST(Installation, HasClangsHeaders) { EXPECT_TRUE(fs::exists(fs::path(resource_dir().value()) / "include/stddef.h")); }

TEST(Installation, TakesTheFirstFolderWithHeaders) {
  const fs::path found = resource_dir().value();
  const std::vector<fs::path> folders = {"/nowhere", found, "/usr"};
  EXPECT_EQ(first_resource_dir(folders).value(), found.string());
}

TEST(Installation, SaysWhatToInstall) {
  const std::vector<fs::path> folders = {"/nowhere", "/not/here"};
  const auto missing = first_resource_dir(folders);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("searched \"/nowhere\", \"/not/here\""));
  EXPECT_THAT(missing.error().message, HasSubstr("apt-get install libclang-common-19-dev"));
}

TEST(Installation, HasADefaultForSourcesWithoutHeaders) {
  EXPECT_EQ(resource_dir_or_default(), resource_dir().value());
}

// Linked in, Clang has no file of its own; else it has one, and LLVM another.
TEST(Installation, KnowsItsLibraries) {
  EXPECT_THAT(compiler_version(), testing::StartsWith("LLVM 19.1"));
  const auto libraries = compiler_libraries();
  EXPECT_EQ(libraries.size(), KMUX_STATIC_LLVM ? 0U : 2U);
  for (const std::string& library : libraries) EXPECT_TRUE(fs::exists(library)) << library;
}

}  // namespace
}  // namespace kmux::cpu
