#include <cerrno>
#include <signal.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/disk/file_descriptor.h"
#include "temp_folder.h"
#include "torture_cache.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::Each;

class CacheRaceTest : public testing::Test {
 protected:
  std::vector<int> race(int processes) {
    return run_children(processes, [&](int) { return use_cache(options_, 1, makes()); });
  }
  fs::path makes() const { return temp_.path() / "makes"; }
  std::size_t entries() const { return ArtifactCache::open(options_).value()->list().size(); }
  bool nothing_staged() const { return fs::is_empty(options_.folder / "tmp"); }

  /// Starts a child that holds the lock of key 1 inside its make forever. Returns its process.
  pid_t start_stuck_maker() { return kmux::start_stuck_maker(options_, temp_.path() / "stuck"); }

  TempFolder temp_{memory_folder()};
  CacheOptions options_ = torture_options(temp_.path());
};

TEST_F(CacheRaceTest, SixteenProcessesBuildOnce) {
  EXPECT_THAT(race(16), Each(0));
  EXPECT_EQ(count_makes(makes()), 1U);
  EXPECT_EQ(entries(), 1U);
  EXPECT_TRUE(nothing_staged());
}

TEST_F(CacheRaceTest, SixteenProcessesWithoutLocksAllSucceed) {
  options_.lock_folder.clear();
  EXPECT_THAT(race(16), Each(0));
  EXPECT_GE(count_makes(makes()), 1U);
  EXPECT_EQ(entries(), 1U);
  EXPECT_TRUE(nothing_staged());
}

TEST_F(CacheRaceTest, ProcessesSucceedWhenLockingIsUnsupported) {
  set_fault_handler([](std::string_view step) { return step == "lock" ? ENOLCK : 0; });
  EXPECT_THAT(race(8), Each(0));
  set_fault_handler(nullptr);
  EXPECT_EQ(entries(), 1U);
  EXPECT_TRUE(nothing_staged());
}

TEST_F(CacheRaceTest, KilledBuilderDoesNotBlockWaiters) {
  const pid_t stuck = start_stuck_maker();
  const pid_t waiting = start_child([&] { return use_cache(options_, 1, makes()); });
  ::kill(stuck, SIGKILL);
  EXPECT_EQ(wait_for(stuck), -SIGKILL);
  EXPECT_EQ(wait_for(waiting), 0);
  EXPECT_EQ(count_makes(makes()), 1U);
}

TEST_F(CacheRaceTest, WaitsForHungBuilderOnlyUntilTimeout) {
  const pid_t stuck = start_stuck_maker();
  options_.lock_timeout = milliseconds(100);
  EXPECT_THAT(race(4), Each(0));
  ::kill(stuck, SIGKILL);
  wait_for(stuck);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(CacheRaceTest, DifferentKeysDoNotWaitForEachOther) {
  const pid_t stuck = start_stuck_maker();
  EXPECT_EQ(wait_for(start_child([&] { return use_cache(options_, 2, makes()); })), 0);
  ::kill(stuck, SIGKILL);
  wait_for(stuck);
}

}  // namespace
}  // namespace kmux
