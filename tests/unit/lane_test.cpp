#include <algorithm>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_impl.h"

namespace kmux {
namespace {

// Returns the lanes of `count` threads that live at the same time.
std::vector<std::uint32_t> lanes_of_threads(int count) {
  std::vector<std::uint32_t> lanes(static_cast<std::size_t>(count));
  std::barrier all_claimed(count);
  std::vector<std::thread> threads;
  for (std::uint32_t& lane : lanes) {
    threads.emplace_back([&lane, &all_claimed] {
      lane = current_lane();
      all_claimed.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return lanes;
}

TEST(LaneTest, IsUniquePerThread) {
  const auto lanes = lanes_of_threads(8);
  EXPECT_EQ(std::set(lanes.begin(), lanes.end()).size(), 8u);
  EXPECT_EQ(current_lane(), current_lane());
}

TEST(LaneTest, IsReusedAfterThreadExit) {
  std::uint32_t largest = 0;
  for (int round = 0; round < 20; ++round) {
    for (const std::uint32_t lane : lanes_of_threads(4)) largest = std::max(largest, lane);
  }
  EXPECT_LT(largest, 16u);
}

}  // namespace
}  // namespace kmux
