#include "fibers/fiber_group.h"

#include <vector>

#include <gmock/gmock.h>

namespace kmux::fibers {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(FiberGroup, RunsEveryThreadOnce) {
  std::vector<int> runs(300);
  run_group(300, [&](unsigned i) { ++runs[i]; });
  EXPECT_THAT(runs, Each(1));
}

TEST(FiberGroup, ABarrierShowsWhatAllHaveWritten) {
  std::vector<unsigned> values(64);
  std::vector<unsigned> seen(64);
  run_group(64, [&](unsigned i) {
    values[i] = i;
    wait_for_group();
    seen[i] = values[63 - i];
    wait_for_group();
    values[i] = 0;
  });
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(seen[i], 63 - i);
  EXPECT_THAT(values, Each(0U));
}

TEST(FiberGroup, SubgroupsWaitForThemselvesAlone) {
  std::vector<unsigned> rounds(8);
  run_group(8, [&](unsigned i) {
    for (unsigned round = 0; round < 1 + i / 4; ++round) {
      wait_for_subgroup(4);
      ++rounds[i];
    }
    wait_for_group();
  });
  EXPECT_THAT(rounds, ElementsAre(1, 1, 1, 1, 2, 2, 2, 2));
}

TEST(FiberGroup, ThreadsThatHaveEndedAreNotWaitedFor) {
  unsigned came = 0;
  run_group(4, [&](unsigned i) {
    if (i == 0) return;
    wait_for_group();
    ++came;
  });
  EXPECT_EQ(came, 3U);
}

TEST(FiberGroup, ABarrierThatIsNeverCompleteIsAnError) {
  const auto mixed = [](unsigned i) {
    if (i == 0) {
      wait_for_group();
    } else {
      wait_for_subgroup(4);
    }
  };
  EXPECT_THROW(run_group(4, mixed), Deadlock);
}

TEST(FiberGroup, GroupsFollowEachOther) {
  unsigned sum = 0;
  for (int round = 0; round < 100; ++round) run_group(32, [&](unsigned i) { sum += i; });
  EXPECT_EQ(sum, 100U * 31 * 16);
}

}  // namespace
}  // namespace kmux::fibers
