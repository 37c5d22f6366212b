#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

#include "cache/disk/dependency_state.h"
#include "file_tick.h"
#include "temp_folder.h"

namespace kmux {
namespace {

FileIdentity identity_of(std::uint64_t size, FileTime changed) {
  return {.device = 1, .inode = 7, .size = size, .mtime_ns = 1000, .ctime_ns = changed};
}

TEST(FileDigestsTest, FindsStoredDigest) {
  FileDigests digests;
  EXPECT_FALSE(digests.find("/a.h", identity_of(10, 2000)).has_value());
  digests.keep("/a.h", identity_of(10, 2000), "one");
  EXPECT_EQ(digests.find("/a.h", identity_of(10, 2000)), "one");
  EXPECT_FALSE(digests.find("/b.h", identity_of(10, 2000)).has_value());
}

TEST(FileDigestsTest, ForgetsChangedFile) {
  FileDigests digests;
  digests.keep("/a.h", identity_of(10, 2000), "one");
  EXPECT_FALSE(digests.find("/a.h", identity_of(11, 2000)).has_value());
  EXPECT_FALSE(digests.find("/a.h", identity_of(10, 2001)).has_value()) << "written, and its time set back";
  FileIdentity replaced = identity_of(10, 2000);
  replaced.inode = 8;
  EXPECT_FALSE(digests.find("/a.h", replaced).has_value());
  digests.keep("/a.h", replaced, "two");
  EXPECT_EQ(digests.find("/a.h", replaced), "two");
}

TEST(FileDigestsTest, CachesDigestOnlyOfSettledFile) {
  const TempFolder folder;
  FileDigests digests;
  const std::string path = folder.write("a.h", "1").string();
  next_file_tick();
  const FileIdentity settled = FileIdentity::of(path);
  EXPECT_EQ(digests.digest(path, settled), sha256_hex("1"));
  EXPECT_EQ(digests.find(path, settled), sha256_hex("1"));
  const auto written = [&] {
    folder.write("a.h", "2");
    const FileIdentity now = FileIdentity::of(path);
    return std::pair(digests.digest(path, now), digests.find(path, now));
  };
  const auto [digest, kept] = within_a_file_tick(written);
  EXPECT_EQ(digest, sha256_hex("2"));
  EXPECT_FALSE(kept) << "it may change again within the tick of the file clock";
  EXPECT_FALSE(digests.digest("/nowhere/a.h", {}));
}

TEST(FileDigestsTest, EvictsBeyondCapacity) {
  FileDigests digests;
  digests.keep("/first", identity_of(1, 1), "one");
  for (std::size_t i = 0; i < FileDigests::kMost; ++i) digests.keep("/" + std::to_string(i), identity_of(1, 1), "one");
  EXPECT_FALSE(digests.find("/first", identity_of(1, 1)).has_value());
  EXPECT_TRUE(digests.find("/" + std::to_string(FileDigests::kMost - 1), identity_of(1, 1)).has_value());
}

}  // namespace
}  // namespace kmux
