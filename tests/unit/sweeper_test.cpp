#include "cache/disk/sweeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kmux/plugin/sha256.h"

#include "cache/disk/entry_store.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

class SweeperTest : public testing::Test {
 protected:
  /// Stores an entry that was used `age` ago.
  std::string put(const std::string& name, seconds age) {
    CacheEntry entry;
    entry.artifact.set("code", std::string(10'000, 'x'));
    const CacheKey key{sha256_hex(name)};
    EXPECT_TRUE(store_.store(pack_entry(key, entry, file_time_now()).value()).ok());
    const FileTime used = file_time_now() / 1'000'000'000 - age.count();
    const timespec times[] = {{0, UTIME_OMIT}, {used, 0}};
    ::utimensat(AT_FDCWD, (cache().entries_of(key.digest).at(0).folder / "manifest.json").c_str(), times, 0);
    return key.digest;
  }
  bool has(const std::string& key) const { return !cache().entries_of(key).empty(); }
  const CacheFolder& cache() const { return store_.folder(); }

  TempFolder temp_;
  EntryStore store_{CacheFolder::open(temp_.path() / "cache", CacheFolder::Access::kReadWrite).value(), {}};
};

TEST_F(SweeperTest, RemovesOldEntries) {
  const std::string old = put("old", hours(50));
  const std::string recent = put("recent", hours(10));
  const SweepReport report = sweep(cache(), {.max_bytes = kNoLimit, .max_age = hours(24)});
  EXPECT_FALSE(has(old));
  EXPECT_TRUE(has(recent));
  EXPECT_EQ(report.entries_removed, 1U);
  EXPECT_EQ(report.entries_left, 1U);
  EXPECT_GE(report.bytes_removed, 10'000U);
  EXPECT_TRUE(fs::is_empty(cache().staging()));
  EXPECT_FALSE(fs::exists(cache().path() / "v1" / old.substr(0, 2))) << "empty folders go, too";
}

TEST_F(SweeperTest, EvictsLeastRecentlyUsedUntilRestFits) {
  const std::string a = put("a", hours(3));
  const std::string b = put("b", hours(2));
  const std::string c = put("c", hours(1));
  const std::uint64_t bytes = bytes_on_disk(cache().entries_of(a).at(0).folder);
  const SweepReport report = sweep(cache(), {.max_bytes = 2 * bytes, .max_age = hours(24)});
  EXPECT_FALSE(has(a));
  EXPECT_TRUE(has(b));
  EXPECT_TRUE(has(c));
  EXPECT_EQ(report.bytes_left, 2 * bytes);
}

TEST_F(SweeperTest, KeepsRecentlyUsedEntries) {
  const std::string fresh = put("fresh", seconds(5));
  EXPECT_EQ(sweep(cache(), {.max_bytes = 0, .max_age = seconds(0)}).entries_removed, 0U);
  EXPECT_TRUE(has(fresh));
  EXPECT_EQ(sweep(cache(), {.max_bytes = 0, .max_age = seconds(0), .min_idle = seconds(0)}).entries_removed, 1U);
  EXPECT_FALSE(has(fresh));
}

TEST_F(SweeperTest, RemovesAbandonedStagingFolders) {
  const fs::path alive = cache().staging() / ("00000000000000000000000000000000-x-" + std::to_string(::getpid()));
  const fs::path old = cache().staging() / "11111111111111111111111111111111-x-1";
  fs::create_directories(alive);
  fs::create_directories(old);
  fs::last_write_time(old, fs::file_time_type::clock::now() - hours(2));
  sweep(cache(), {.max_bytes = kNoLimit, .max_age = hours(24)});
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(SweeperTest, KeepsQuarantineUntilMaximumAge) {
  fs::create_directories(cache().quarantine() / "bad");
  sweep(cache(), {.max_bytes = kNoLimit, .max_age = hours(24)});
  EXPECT_TRUE(fs::exists(cache().quarantine() / "bad"));
  sweep(cache(), {.max_bytes = kNoLimit, .max_age = seconds(0)});
  EXPECT_FALSE(fs::exists(cache().quarantine() / "bad"));
}

TEST_F(SweeperTest, TrimsKeyToLastUsedEntries) {
  const std::string key = put("key", hours(1));
  const fs::path only = cache().entries_of(key).at(0).folder;
  for (int i = 0; i < 3; ++i) {
    const fs::path copy = cache().entry(key, sha256_hex(std::to_string(i))).folder;
    fs::copy(only, copy);  // its manifest is new
  }
  trim_key(cache(), key, 4);
  EXPECT_EQ(cache().entries_of(key).size(), 4U);
  trim_key(cache(), key, 3);
  EXPECT_EQ(cache().entries_of(key).size(), 3U);
  EXPECT_FALSE(fs::exists(only));
}

TEST_F(SweeperTest, IsDueOncePerInterval) {
  EXPECT_TRUE(sweep_is_due(cache(), seconds(300)));
  EXPECT_FALSE(sweep_is_due(cache(), seconds(300)));
  fs::last_write_time(cache().sweep_stamp(), fs::file_time_type::clock::now() - seconds(301));
  EXPECT_TRUE(sweep_is_due(cache(), seconds(300)));
}

}  // namespace
}  // namespace kmux
