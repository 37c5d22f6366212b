#include <atomic>
#include <barrier>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "cache/artifact_cache.h"

namespace kmux {
namespace {

BuildOutcome made(const std::string& launcher) { return {CacheEntry{.launcher = launcher}, 0}; }

TEST(SingleFlightTest, ElectsOneLeaderAndOthersWait) {
  SingleFlight builds;
  std::atomic<int> leaders{0};
  std::atomic<int> right{0};
  std::barrier start(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      const SingleFlight::Turn turn = builds.join("key");
      start.arrive_and_wait();  // all threads join before it is complete
      if (turn.leads) ++leaders, builds.complete("key", *turn.build, made("made"));
      if (turn.build->wait().result.value().launcher == "made") ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(leaders, 1);
  EXPECT_EQ(right, 8);
}

TEST(SingleFlightTest, IsJoinableUntilComplete) {
  SingleFlight builds;
  const SingleFlight::Turn leader = builds.join("key");
  const SingleFlight::Turn joiner = builds.join("key");
  EXPECT_TRUE(leader.leads);
  EXPECT_FALSE(joiner.leads);
  EXPECT_TRUE(builds.join("other").leads);
  builds.complete("key", *leader.build, {make_error(ErrorCode::kCompileFailed, "no"), 0});
  EXPECT_EQ(joiner.build->wait().result.error().message, "no");
  EXPECT_TRUE(builds.join("key").leads) << "although somebody still holds the one before";
}

TEST(SingleFlightTest, NumbersBuildsByStartOrder) {
  SingleFlight builds;
  EXPECT_EQ(builds.count(), 0U);
  const SingleFlight::Turn first = builds.join("a");
  const std::uint64_t before = builds.count();
  const SingleFlight::Turn second = builds.join("b");
  EXPECT_LE(first.build->number(), before);
  EXPECT_LE(builds.join("a").build->number(), before) << "to join is not to begin";
  EXPECT_GT(second.build->number(), before);
}

TEST(SingleFlightTest, DoesNotWaitForParentThreadAfterFork) {
  SingleFlight builds;
  const SingleFlight::Turn turn = builds.join("key");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(builds.join("key").leads ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace kmux
