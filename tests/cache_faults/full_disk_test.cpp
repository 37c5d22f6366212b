#include <cerrno>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/disk/file_descriptor.h"
#include "needs.h"
#include "temp_folder.h"
#include "torture_cache.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kNotPermitted = 77;

std::string failing_step;  // NOLINT: a fault handler is a plain function

int full_at_step(std::string_view step) { return step == failing_step ? ENOSPC : 0; }

class FullDiskTest : public testing::Test {
 protected:
  ~FullDiskTest() override { set_fault_handler(nullptr); }
  TempFolder temp_{memory_folder()};
  CacheOptions options_ = torture_options(temp_.path());
};

TEST_F(FullDiskTest, AtAnyStepLosesOnlyTheEntry) {
  std::string log;
  options_.log = [&](const std::string& text) { log += text; };
  for (const char* step : {"before staging", "staged", "before writing artifact", "wrote artifact",
                           "before writing manifest.json", "wrote manifest.json", "synced", "parents made"}) {
    failing_step = step;
    log.clear();
    set_fault_handler(full_at_step);
    EXPECT_EQ(use_cache(options_, 1, temp_.path() / "makes"), 0) << step;
    set_fault_handler(nullptr);
    EXPECT_THAT(log, HasSubstr("an artifact is not cached: cannot write")) << step;
    EXPECT_THAT(log, HasSubstr("No space left on device")) << step;
    EXPECT_FALSE(ArtifactCache::open(options_).value()->find(torture_key(1))) << step;
    EXPECT_TRUE(fs::is_empty(options_.folder / "tmp")) << step;
  }
  EXPECT_EQ(use_cache(options_, 1, temp_.path() / "makes"), 0);
  EXPECT_TRUE(ArtifactCache::open(options_).value()->find(torture_key(1)));
}

/// Returns 0 if every key is usable, only some are kept, and kept entries are valid.
int use_small_disk(const CacheOptions& options, const fs::path& makes) {
  for (int i = 0; i < 40; ++i) {
    if (use_cache(options, i, makes) != 0) return 1;
  }
  const auto cache = ArtifactCache::open(options).value();
  int kept = 0;
  for (int i = 0; i < 40; ++i) {
    const std::optional<CacheEntry> found = cache->find(torture_key(i));
    if (found && !is_right(*found, i)) return 2;
    kept += found ? 1 : 0;
  }
  if (!cache->verify().empty()) return 3;
  return kept > 0 && kept < 40 ? 0 : 4;
}

TEST_F(FullDiskTest, OnSmallFileSystemLosesOnlyEntries) {
  const fs::path disk = temp_.path() / "disk";
  fs::create_directory(disk);
  const int ended = wait_for(start_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("kmux-test", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
      return kNotPermitted;
    }
    CacheOptions options = options_;
    options.folder = disk / "cache";
    return use_small_disk(options, temp_.path() / "makes");
  }));
  if (ended == kNotPermitted) GTEST_SKIP() << needs("leave to mount", "this user may not mount a small file system");
  EXPECT_EQ(ended, 0);
}

TEST_F(FullDiskTest, UnderFileSizeLimitLosesOnlyEntries) {
  const int ended = wait_for(start_child([&] {
    const rlimit little{5200, 5200};  // fits the container of the first few keys, not of the last
    if (::setrlimit(RLIMIT_FSIZE, &little) != 0) return 9;
    return use_small_disk(options_, temp_.path() / "makes");
  }));
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace kmux
