#include "kmux/plugin/private_folder.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

TEST(PrivateFolderTest, IsPrivateAndRemovedOnDestruction) {
  std::optional<PrivateFolder> folder(PrivateFolder::create("kmux-test").value());
  const fs::path path = folder->path();
  struct stat info{};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  ASSERT_TRUE(folder->write("a/b.txt", "text"));
  EXPECT_EQ(read_file(path / "a/b.txt").value(), "text");
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(PrivateFolderTest, SurvivesMove) {
  auto first = PrivateFolder::create("kmux-test").value();
  const PrivateFolder second(std::move(first));
  EXPECT_TRUE(fs::exists(second.path()));
}

TEST(PrivateFolderTest, ReportsMissingTemporaryDirectory) {
  const TempFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  const fs::path nested = folder.path() / "gone";
  setenv("TMPDIR", nested.c_str(), /*overwrite=*/1);
  const auto made = PrivateFolder::create("kmux-test");
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(made.error().message, testing::HasSubstr("no folder for temporary files can be made"));
}

TEST(PrivateFolderTest, RejectsWorldWritableParentWithoutStickyBit) {
  const TempFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  fs::permissions(folder.path(), fs::perms::all);
  setenv("TMPDIR", folder.path().c_str(), /*overwrite=*/1);
  const auto open = PrivateFolder::create("kmux-test");
  fs::permissions(folder.path(), fs::perms::sticky_bit, fs::perm_options::add);
  const auto sticky = PrivateFolder::create("kmux-test");
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(open.error().message, testing::HasSubstr("above it may be written to by others"));
  EXPECT_TRUE(sticky.ok());
}

}  // namespace
}  // namespace kmux
