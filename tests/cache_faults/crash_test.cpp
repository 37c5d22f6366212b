#include <algorithm>
#include <cstring>
#include <set>
#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cache/disk/file_descriptor.h"
#include "temp_folder.h"
#include "torture_cache.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 200;
constexpr int kKeys = 10;

std::vector<std::string> steps_seen;  // NOLINT: a fault handler is a plain function
std::string deadly_step;              // NOLINT

int remember(std::string_view step) {
  steps_seen.emplace_back(step);
  return 0;
}

int kill_here(std::string_view step) {
  if (step == deadly_step) ::kill(::getpid(), SIGKILL);
  return 0;
}

class CacheCrashTest : public testing::Test {
 protected:
  ~CacheCrashTest() override { set_fault_handler(nullptr); }

  /// Returns the steps of a publication, in order and without repetition.
  std::vector<std::string> steps() {
    CacheOptions elsewhere = torture_options(temp_.path() / "steps");
    steps_seen.clear();
    set_fault_handler(remember);
    EXPECT_EQ(use_cache(elsewhere, 1, temp_.path() / "steps" / "makes"), 0);
    set_fault_handler(nullptr);
    std::vector<std::string> unique;
    for (const std::string& step : steps_seen) {
      if (std::find(unique.begin(), unique.end(), step) == unique.end()) unique.push_back(step);
    }
    return unique;
  }

  int use(int number) { return use_cache(options_, number, temp_.path() / "makes"); }

  std::size_t staged() const {
    const fs::path staging = options_.folder / "tmp";
    if (!fs::exists(staging)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(staging), fs::directory_iterator()));
  }

  TempFolder temp_{memory_folder()};
  CacheOptions options_ = torture_options(temp_.path());
};

TEST_F(CacheCrashTest, HasAFaultPointAtEveryStep) {
  const std::vector<std::string> expected = {"lock",
                                             "start publisher",
                                             "before staging",
                                             "staged",
                                             "before writing artifact",
                                             "wrote artifact",
                                             "before writing launcher",
                                             "wrote launcher",
                                             "before writing manifest.json",
                                             "wrote manifest.json",
                                             "synced",
                                             "parents made",
                                             "renamed",
                                             "published"};
  EXPECT_EQ(steps(), expected);
}

TEST_F(CacheCrashTest, KillAtAnyStepLeavesValidEntries) {
  const std::vector<std::string> all = steps();
  std::set<int> published;  // entries found complete in a round must exist in later rounds
  int killed = 0;
  for (int round = 0; round < kRounds; ++round) {
    deadly_step = all[static_cast<std::size_t>(round) % all.size()];
    const int number = round % kKeys;
    const int ended = wait_for(start_child([&] { return set_fault_handler(kill_here), use(number); }));
    ASSERT_TRUE(ended == -SIGKILL || ended == 0) << deadly_step << ": " << ended;
    killed += ended == -SIGKILL ? 1 : 0;
    const auto cache = ArtifactCache::open(options_).value();
    for (int i = 0; i < kKeys; ++i) {
      const std::optional<CacheEntry> found = cache->find(torture_key(i));
      ASSERT_TRUE(!found || is_right(*found, i)) << deadly_step;
      ASSERT_TRUE(found || !published.contains(i)) << "lost at " << deadly_step;
      if (found) published.insert(i);
    }
    // Existing entries are not published again: prunes them, so that every round reaches its step.
    if (published.size() == kKeys) {
      ASSERT_TRUE(cache->prune({.min_idle = std::chrono::seconds(0)}).ok());
      published.clear();
    }
  }
  EXPECT_GE(killed, kRounds / 2);
  EXPECT_TRUE(ArtifactCache::open(options_).value()->verify().empty());
}

TEST_F(CacheCrashTest, CacheWorksAndIsSweptAfterCrashes) {
  bool staged_at_least_one = false;
  for (const std::string& step : steps()) {
    deadly_step = step;
    (void)wait_for(start_child([&] { return set_fault_handler(kill_here), use(1); }));
    staged_at_least_one = staged_at_least_one || staged() > 0;
  }
  EXPECT_TRUE(staged_at_least_one);
  for (int i = 0; i < kKeys; ++i) EXPECT_EQ(wait_for(start_child([&] { return use(i); })), 0);
  const auto cache = ArtifactCache::open(options_).value();
  for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(is_right(cache->find(torture_key(i)).value(), i));
  ASSERT_TRUE(cache->prune({.max_bytes = std::uint64_t{1} << 40, .max_age = std::chrono::hours(1)}).ok());
  EXPECT_EQ(staged(), 0U);
  EXPECT_EQ(cache->list().size(), static_cast<std::size_t>(kKeys));
}

}  // namespace
}  // namespace kmux
