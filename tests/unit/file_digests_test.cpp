#include "cache/file_digests.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

struct stat state_of(long size, long changed) {
  struct stat state{};
  state.st_ino = 7;
  state.st_size = size;
  state.st_mtim = {1000, 5};
  state.st_ctim = {changed, 5};
  return state;
}

TEST(FileDigests, FindsWhatWasKept) {
  FileDigests digests;
  EXPECT_FALSE(digests.find("/a.h", state_of(10, 2000)).has_value());
  digests.keep("/a.h", state_of(10, 2000), "one");
  EXPECT_EQ(digests.find("/a.h", state_of(10, 2000)), "one");
  EXPECT_FALSE(digests.find("/b.h", state_of(10, 2000)).has_value());
}

TEST(FileDigests, ForgetsAFileThatChanged) {
  FileDigests digests;
  digests.keep("/a.h", state_of(10, 2000), "one");
  EXPECT_FALSE(digests.find("/a.h", state_of(11, 2000)).has_value());
  EXPECT_FALSE(digests.find("/a.h", state_of(10, 2001)).has_value()) << "written, and its time set back";
  struct stat replaced = state_of(10, 2000);
  replaced.st_ino = 8;
  EXPECT_FALSE(digests.find("/a.h", replaced).has_value());
  digests.keep("/a.h", replaced, "two");
  EXPECT_EQ(digests.find("/a.h", replaced), "two");
}

TEST(FileDigests, DoesNotGrowForEver) {
  FileDigests digests;
  digests.keep("/first", state_of(1, 1), "one");
  for (std::size_t i = 0; i < FileDigests::kMost; ++i) digests.keep("/" + std::to_string(i), state_of(1, 1), "one");
  EXPECT_FALSE(digests.find("/first", state_of(1, 1)).has_value());
  EXPECT_TRUE(digests.find("/" + std::to_string(FileDigests::kMost - 1), state_of(1, 1)).has_value());
}

}  // namespace
}  // namespace kmux
