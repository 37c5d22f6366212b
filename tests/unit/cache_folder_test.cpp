#include "cache/disk/cache_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

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

TEST(CacheFolder, IsMadeForItsUserAlone) {
  const TempFolder temp;
  const fs::path path = temp.path() / "home" / ".cache" / "kmux";
  const CacheFolder folder = CacheFolder::open(path, Access::kReadWrite).value();
  EXPECT_TRUE(folder.writable());
  EXPECT_EQ(mode_of(path), 0700);
  EXPECT_EQ(folder.path(), path);
}

TEST(CacheFolder, RefusesWhatOthersControl) {
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

TEST(CacheFolder, RefusesForeignOwners) {
  if (::geteuid() != 0) GTEST_SKIP() << needs("root", "only root can give a folder away");
  const TempFolder temp;
  ASSERT_EQ(::chown(temp.path().c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(temp.path(), Access::kReadWrite), HasSubstr("(it belongs to user 12345)"));
  EXPECT_THAT(refusal(temp.path(), Access::kReadOnly), HasSubstr("(it belongs to user 12345)"));
}

TEST(CacheFolder, SaysWhyItCannotBeMade) {
  const TempFolder temp;
  temp.write("file", "");
  const ErrorCode code = ErrorCode::kUnavailable;
  EXPECT_THAT(refusal(temp.path() / "file" / "cache", Access::kReadWrite, code),
              HasSubstr("cache' cannot be used (Not a directory)"));
  EXPECT_THAT(refusal(temp.path() / "none", Access::kReadOnly, code), HasSubstr("(No such file or directory)"));
}

TEST(CacheFolder, ListsEntriesAndNothingElse) {
  const TempFolder temp;
  const CacheFolder folder = CacheFolder::open(temp.path(), Access::kReadWrite).value();
  EXPECT_TRUE(folder.entries().empty());
  const std::string key = sha256_hex("key");
  const std::string other = sha256_hex("other");
  fs::create_directories(folder.entry(key, sha256_hex("1")).folder);
  fs::create_directories(folder.entry(key, sha256_hex("2")).folder);
  fs::create_directories(folder.entry(other, sha256_hex("1")).folder);
  fs::create_directories(folder.entry(key, std::string(64, 'x')).folder);
  fs::create_directories(temp.path() / "v1" / "zz" / key / sha256_hex("1"));  // not its shard
  EXPECT_EQ(folder.entries_of(key).size(), 2U);
  EXPECT_EQ(folder.entries().size(), 3U);
  EXPECT_EQ(folder.entries_of(key)[0].folder,
            temp.path() / "v1" / key.substr(0, 2) / key / folder.entries_of(key)[0].second);
}

TEST(CacheFolder, TellsDigestsFromOtherNames) {
  EXPECT_TRUE(is_digest(sha256_hex("")));
  EXPECT_FALSE(is_digest("../" + std::string(61, 'a')));
  EXPECT_FALSE(is_digest(std::string(63, 'a')));
  EXPECT_FALSE(is_digest(std::string(64, 'A')));
}

}  // namespace
}  // namespace kmux
