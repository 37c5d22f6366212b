#include "nvidia/launch/launch_state.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "recorded_driver.h"
#include "step_example.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

TEST(LaunchStatesTest, AreSeparatePerLane) {
  LaunchStates states;
  WrittenText error;
  ASSERT_EQ(states.make(2, 3, error.sink()), 0);
  LaunchState* first = states.take(1);
  LaunchState* second = states.take(2);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_NE(first->map(0), first->map(1));
  EXPECT_NE(first->map(1), second->map(0));
  EXPECT_FALSE(first->map(1)->valid);
  EXPECT_EQ(first->map(2), nullptr);
  LaunchStates::give_back(first);
  EXPECT_EQ(states.take(1), first);
}

TEST(LaunchStatesTest, DoNotBlockWhenLeased) {
  LaunchStates states;
  WrittenText error;
  ASSERT_EQ(states.make(1, 0, error.sink()), 0);
  {
    const StateLease lease(states, 5);
    ASSERT_NE(lease.get(), nullptr);
    EXPECT_EQ(StateLease(states, 5).get(), nullptr);
    EXPECT_EQ(StateLease(states, 5 + LaunchStates::kCount).get(), nullptr);
    EXPECT_NE(StateLease(states, 6).get(), nullptr);
  }
  EXPECT_NE(StateLease(states, 5).get(), nullptr);
}

TEST(LaunchStatesTest, AreNotCreatedWithoutMapsOrSteps) {
  LaunchStates states;
  WrittenText error;
  EXPECT_EQ(states.take(0), nullptr);
  ASSERT_EQ(states.make(0, 0, error.sink()), 0);
  EXPECT_EQ(states.take(0), nullptr);
}

TEST(LaunchStatesTest, AreCreatedOnce) {
  LaunchStates states;
  WrittenText error;
  ASSERT_EQ(states.make(1, 0, error.sink()), 0);
  LaunchState* state = states.take(0);
  ASSERT_EQ(states.make(1, 0, error.sink()), 0);
  EXPECT_EQ(states.take(0), nullptr);
  LaunchStates::give_back(state);
  EXPECT_EQ(states.take(0), state);
}

TEST(LaunchStatesTest, ShareNoCacheLine) {
  LaunchStates states;
  WrittenText error;
  ASSERT_EQ(states.make(1, 1, error.sink()), 0);
  for (unsigned lane = 0; lane < LaunchStates::kCount; ++lane) {
    LaunchState* state = states.take(lane);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(state) % 64, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(state->map(0)) % 64, 0U);
  }
  EXPECT_EQ(sizeof(ReplayNode) % 64, 0U);
}

TEST(LaunchStatesTest, ReportOutOfMemory) {
  LaunchStates states;
  WrittenText error;
  EXPECT_EQ(states.make(~0U, 0, error.sink()), KMUX_UNAVAILABLE);
  EXPECT_THAT(error.text, testing::HasSubstr("out of memory for 64 launch states (4294967295 tensor maps"));
  EXPECT_EQ(states.take(0), nullptr);
  EXPECT_EQ(states.make(1, 0, error.sink()), 0);
}

TEST(LaunchStatesTest, DestroyGraphsOfAllLanes) {
  RecordedDriver driver;
  LaunchStates states;
  WrittenText error;
  EXPECT_EQ(states.close(driver.table).call, nullptr);
  ASSERT_EQ(states.make(0, 1, error.sink()), 0);
  StepExample step;
  for (const unsigned lane : {0U, 63U}) {
    const StateLease lease(states, lane);
    Replay& replay = lease.get()->replay;
    ASSERT_TRUE(replay.open({&driver.table, 0, nullptr, nullptr}));
    ASSERT_EQ(replay.keep(step.launch(), reinterpret_cast<CUkernel>(1), error.sink()), 0);
    ASSERT_EQ(replay.close(0, error.sink()), 0);
  }
  EXPECT_EQ(driver.live(), 4);
  EXPECT_EQ(states.close(driver.table).call, nullptr);
  EXPECT_EQ(driver.live(), 0);
}

TEST(LaunchStatesTest, ReportFailedGraphDestruction) {
  RecordedDriver driver;
  LaunchStates states;
  WrittenText error;
  ASSERT_EQ(states.make(0, 1, error.sink()), 0);
  StepExample step;
  Replay& replay = StateLease(states, 0).get()->replay;
  ASSERT_TRUE(replay.open({&driver.table, 0, nullptr, nullptr}));
  ASSERT_EQ(replay.keep(step.launch(), reinterpret_cast<CUkernel>(1), error.sink()), 0);
  ASSERT_EQ(replay.close(0, error.sink()), 0);
  driver.fail("cuGraphDestroy", CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(states.close(driver.table).call, "cuGraphDestroy");
}

TEST(LaunchStatesTest, HaveOneHolderAmongConcurrentThreads) {
  LaunchStates states;
  WrittenText error;
  ASSERT_EQ(states.make(1, 0, error.sink()), 0);
  int held = 0;  // guarded by the state of lane 0; ThreadSanitizer checks that
  std::atomic<int> leases{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) {
        const StateLease lease(states, 0);
        if (lease.get() == nullptr) continue;
        ++held;
        ++leases;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(held, leases.load());
}

}  // namespace
}  // namespace kmux::nvidia
