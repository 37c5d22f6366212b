#include <chrono>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"
#include "torture_cache.h"

namespace kmux {
namespace {

using std::chrono::steady_clock;
using testing::Each;

constexpr int kEvictedKeys = 12;
constexpr auto kDuration = std::chrono::milliseconds(2500);

/// Finds or makes every key until `end`. Returns 0 if all entries were valid and nothing was logged.
int read_all(CacheOptions options, steady_clock::time_point end) {
  int complaints = 0;
  options.log = [&](const std::string&) { ++complaints; };
  int wrong = 0;
  {
    const auto cache = ArtifactCache::open(options).value();
    for (int i = 0; steady_clock::now() < end; i = (i + 1) % kEvictedKeys) {
      const Result<CacheEntry> entry = cache->find_or_make(torture_key(i), [&] { return torture_entry(i); });
      if (!entry || !is_right(*entry, i)) ++wrong;
    }
  }
  return wrong != 0 ? 1 : complaints != 0 ? 2 : 0;
}

/// Evicts all entries repeatedly. Returns 0 if it evicted any.
int evict_all(const CacheOptions& options, steady_clock::time_point end) {
  std::uint64_t evicted = 0;
  const auto cache = ArtifactCache::open(options).value();
  while (steady_clock::now() < end) {
    const Result<SweepReport> report = cache->prune({.min_idle = std::chrono::seconds(0)});
    if (report) evicted += report->entries_removed;
    ::usleep(500);
  }
  return evicted > 0 ? 0 : 1;
}

class CacheEvictionTest : public testing::TestWithParam<bool> {};

TEST_P(CacheEvictionTest, NeverDisturbsAReader) {
  const TempFolder temp(memory_folder());
  CacheOptions options = torture_options(temp.path());
  if (!GetParam()) options.lock_folder.clear();
  const auto end = steady_clock::now() + kDuration;
  EXPECT_THAT(run_children(6, [&](int i) { return i < 4 ? read_all(options, end) : evict_all(options, end); }),
              Each(0));
  EXPECT_TRUE(ArtifactCache::open(options).value()->verify().empty());
  EXPECT_TRUE(std::filesystem::is_empty(options.folder / "tmp"));
  EXPECT_FALSE(std::filesystem::exists(options.folder / "quarantine"));
}

INSTANTIATE_TEST_SUITE_P(Locks, CacheEvictionTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "with" : "without"; });

}  // namespace
}  // namespace kmux
