#include <gtest/gtest.h>

#include "cache/disk/staging.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

class QuarantineTest : public testing::Test {
 protected:
  QuarantineTest() { temp_.write("cache/entry/file", ""); }
  bool has_entry() const { return fs::exists(entry_); }

  TempFolder temp_;
  fs::path entry_ = temp_.path() / "cache" / "entry";
};

TEST_F(QuarantineTest, MovesEntryIntoQuarantine) {
  const CacheFolder cache = CacheFolder::open(temp_.path() / "cache", CacheFolder::Access::kReadWrite).value();
  put_into_quarantine(cache, entry_, FileDescriptor::open_folder(entry_));
  EXPECT_FALSE(has_entry());
  EXPECT_TRUE(fs::exists(fs::directory_iterator(cache.quarantine())->path() / "file"));
}

TEST_F(QuarantineTest, KeepsEntryThatReplacedDamagedOne) {
  const CacheFolder cache = CacheFolder::open(temp_.path() / "cache", CacheFolder::Access::kReadWrite).value();
  const FileDescriptor damaged = FileDescriptor::open_folder(entry_);
  fs::rename(entry_, temp_.path() / "aside");
  fs::create_directory(entry_);
  put_into_quarantine(cache, entry_, damaged);
  EXPECT_TRUE(has_entry());
}

TEST_F(QuarantineTest, LeavesReadOnlyCacheUnchanged) {
  const CacheFolder cache = CacheFolder::open(temp_.path() / "cache", CacheFolder::Access::kReadOnly).value();
  put_into_quarantine(cache, entry_, FileDescriptor::open_folder(entry_));
  EXPECT_TRUE(has_entry());
}

}  // namespace
}  // namespace kmux
