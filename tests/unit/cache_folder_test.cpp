#include "cache/disk/cache_folder.h"

#include <chrono>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

#include "cache/disk/staging.h"
#include "cache/disk/sweeper.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using Access = CacheFolder::Access;
using testing::HasSubstr;

int mode_of(const fs::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 0777) : -1;
}

std::string refusal(const fs::path& path, Access wanted, ErrorCode code = ErrorCode::kInvalidArgument) {
  const Result<CacheFolder> opened = CacheFolder::open(path, wanted);
  if (opened) return "";
  EXPECT_EQ(opened.error().code, code);
  return opened.error().message;
}

TEST(CacheFolderTest, IsCreatedWithOwnerOnlyAccess) {
  const TempFolder temp;
  const fs::path path = temp.path() / "home" / ".cache" / "kmux";
  const CacheFolder folder = CacheFolder::open(path, Access::kReadWrite).value();
  EXPECT_TRUE(folder.writable());
  EXPECT_EQ(mode_of(path), 0700);
  EXPECT_EQ(folder.path(), path);
}

TEST(CacheFolderTest, RejectsLinksAndFoldersWritableByOthers) {
  const TempFolder temp;
  fs::create_directory(temp.path() / "real");
  fs::create_directory_symlink(temp.path() / "real", temp.path() / "link");
  for (const Access access : {Access::kReadWrite, Access::kReadOnly}) {
    EXPECT_THAT(refusal(temp.path() / "link", access), HasSubstr("link' is refused (it is a symbolic link)"));
    for (const ::mode_t mode : {0770, 0707}) {
      ::chmod((temp.path() / "real").c_str(), mode);
      EXPECT_THAT(refusal(temp.path() / "real", access),
                  HasSubstr("(others may write to it). Run `chmod go-w` on it."));
    }
  }
}

TEST(CacheFolderTest, RejectsParentWritableByOthers) {
  const TempFolder temp;
  const fs::path above = temp.path() / "above";
  fs::create_directories(above / "cache");
  fs::permissions(above / "cache", fs::perms::owner_all);
  ::chmod(above.c_str(), 0777);
  for (const Access access : {Access::kReadWrite, Access::kReadOnly}) {
    EXPECT_THAT(refusal(above / "cache", access), HasSubstr("above it may be written to by others). Run `chmod go-w`"));
  }
  ::chmod(above.c_str(), 01777);
  EXPECT_EQ(refusal(above / "cache", Access::kReadWrite), "");
}

// Makes the folder writable for this process's group.
void share(const fs::path& path, ::mode_t mode = 02770) { ASSERT_EQ(::chmod(path.c_str(), mode), 0); }

std::string group_refusal(const fs::path& path) {
  const auto opened = CacheFolder::open(path, Access::kReadWrite, CacheFolder::Sharing::kGroup);
  return opened ? "" : opened.error().message;
}

TEST(CacheFolderTest, AcceptsGroupFolderOnlyIfAllowed) {
  const TempFolder temp;
  share(temp.path());
  EXPECT_THAT(refusal(temp.path(), Access::kReadWrite), HasSubstr("(others may write to it)"));
  EXPECT_EQ(group_refusal(temp.path()), "");
  ::chmod(temp.path().c_str(), 0700);
  EXPECT_EQ(group_refusal(temp.path()), "");
}

TEST(CacheFolderTest, RejectsUnsafeGroupFolders) {
  const TempFolder temp;
  share(temp.path(), 02777);
  EXPECT_THAT(group_refusal(temp.path()), HasSubstr("(everyone may write to it). Run `chmod o-w` on it."));
  share(temp.path(), 0770);
  EXPECT_THAT(group_refusal(temp.path()), HasSubstr("Run `chmod g+s` on it."));
  if (::geteuid() != 0) GTEST_SKIP() << needs("root", "only root can give a folder to another group");
  ASSERT_EQ(::chown(temp.path().c_str(), 12345, 12345), 0);
  share(temp.path());
  EXPECT_THAT(group_refusal(temp.path()), HasSubstr("(this process is not in its group 12345)"));
  ASSERT_EQ(::chown(temp.path().c_str(), 12345, ::getegid()), 0);
  share(temp.path());
  EXPECT_EQ(group_refusal(temp.path()), "");
}

TEST(CacheFolderTest, FilesInGroupFolderAreGroupWritable) {
  const TempFolder temp;
  const ::mode_t mask = ::umask(077);
  share(temp.path());
  const CacheFolder folder = CacheFolder::open(temp.path(), Access::kReadWrite, CacheFolder::Sharing::kGroup).value();
  Staging staging = Staging::make(folder).value();
  ASSERT_TRUE(staging.write("manifest.json", "{}").ok());
  const EntryLocation entry = folder.entry(std::string(64, 'a'), std::string(64, 'b'));
  ASSERT_TRUE(staging.publish(entry.folder).ok());
  ASSERT_TRUE(sweep_is_due(folder, std::chrono::seconds(0)));
  ::umask(mask);
  for (fs::path made = entry.folder; made != temp.path(); made = made.parent_path())
    EXPECT_EQ(mode_of(made), 0770) << made;
  for (const fs::path& file : {entry.folder / "manifest.json", folder.sweep_stamp()})
    EXPECT_EQ(mode_of(file), 0660) << file;
}

TEST(CacheFolderTest, FilesInUserFolderArePrivate) {
  const TempFolder temp;
  const CacheFolder folder = CacheFolder::open(temp.path() / "cache", Access::kReadWrite).value();
  Staging staging = Staging::make(folder).value();
  ASSERT_TRUE(staging.write("manifest.json", "{}").ok());
  const EntryLocation entry = folder.entry(std::string(64, 'a'), std::string(64, 'b'));
  ASSERT_TRUE(staging.publish(entry.folder).ok());
  for (fs::path made = entry.folder; made != temp.path(); made = made.parent_path())
    EXPECT_EQ(mode_of(made), 0700) << made;
  EXPECT_EQ(mode_of(entry.folder / "manifest.json"), 0600);
}

TEST(CacheFolderTest, RejectsForeignOwners) {
  if (::geteuid() != 0) GTEST_SKIP() << needs("root", "only root can give a folder away");
  const TempFolder temp;
  ASSERT_EQ(::chown(temp.path().c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(temp.path(), Access::kReadWrite), HasSubstr("(it belongs to user 12345)"));
  EXPECT_THAT(refusal(temp.path(), Access::kReadOnly), HasSubstr("(it belongs to user 12345)"));
}

TEST(CacheFolderTest, ReportsWhyItCannotBeUsed) {
  const TempFolder temp;
  temp.write("file", "");
  const ErrorCode code = ErrorCode::kUnavailable;
  EXPECT_THAT(refusal(temp.path() / "file" / "cache", Access::kReadWrite, code),
              HasSubstr("cache' cannot be used (Not a directory)"));
  EXPECT_THAT(refusal(temp.path() / "none", Access::kReadOnly, code), HasSubstr("(No such file or directory)"));
}

TEST(CacheFolderTest, ListsOnlyValidEntries) {
  const TempFolder temp;
  const CacheFolder folder = CacheFolder::open(temp.path(), Access::kReadWrite).value();
  EXPECT_TRUE(folder.entries().empty());
  const std::string key = sha256_hex("key");
  const std::string other = sha256_hex("other");
  fs::create_directories(folder.entry(key, sha256_hex("1")).folder);
  fs::create_directories(folder.entry(key, sha256_hex("2")).folder);
  fs::create_directories(folder.entry(other, sha256_hex("1")).folder);
  fs::create_directories(folder.entry(key, std::string(64, 'x')).folder);
  fs::create_directories(temp.path() / "v1" / "zz" / key / sha256_hex("1"));  // in the wrong shard
  EXPECT_EQ(folder.entries_of(key).size(), 2U);
  EXPECT_EQ(folder.entries().size(), 3U);
  EXPECT_EQ(folder.entries_of(key)[0].folder,
            temp.path() / "v1" / key.substr(0, 2) / key / folder.entries_of(key)[0].second);
}

TEST(CacheFolderTest, RecognizesDigests) {
  EXPECT_TRUE(is_digest(sha256_hex("")));
  EXPECT_FALSE(is_digest("../" + std::string(61, 'a')));
  EXPECT_FALSE(is_digest(std::string(63, 'a')));
  EXPECT_FALSE(is_digest(std::string(64, 'A')));
}

}  // namespace
}  // namespace kmux
