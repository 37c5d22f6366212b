#include "simt/runtime/interruption.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <pthread.h>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "simt/runtime/launch.h"
#include "simt/runtime/pool.h"
#include "simt/runtime/stack.h"

namespace kmux::simt {
namespace {

/// Counts its calls, and those that do not come from the launching thread.
struct Host {
  static std::int32_t interrupted(void* self) {
    Host& host = *static_cast<Host*>(self);
    ++host.calls;
    if (pthread_equal(pthread_self(), host.thread) == 0) ++host.from_other_threads;
    return host.calls >= host.ends_at ? 1 : 0;
  }

  const pthread_t thread = pthread_self();
  int ends_at = 1;
  int calls = 0;
  int from_other_threads = 0;
};

std::atomic<unsigned> blocks_run;

void take_a_millisecond(const void*, const kmux_cpu_grid*, std::uint64_t first, std::uint64_t end, char*) {
  for (; first < end; ++first) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++blocks_run;
  }
}

class InterruptionTest : public testing::TestWithParam<unsigned> {
 protected:
  InterruptionTest() {
    pool().limit(GetParam());
    set_interrupted(Host::interrupted, &host_);
    blocks_run = 0;
  }
  ~InterruptionTest() override {
    set_interrupted(nullptr, nullptr);
    pool().limit(0);
  }

  int launch(unsigned blocks, kmux_cpu_kernel kernel = {.blocks = take_a_millisecond}) {
    const kmux_cpu_grid grid{{blocks, 1, 1}, {32, 1, 1}, 0, append_to(message_), kernel.is_cooperative};
    return kmux_cpu_run(&grid, &kernel, nullptr);
  }

  Host host_;
  std::string message_;
};

TEST_P(InterruptionTest, EndsLongLaunchBetweenBlocks) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(launch(20000), KMUX_CANCELLED);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_EQ(message_, kInterruptionMessage);
  EXPECT_GT(blocks_run, 0U);
  EXPECT_LT(blocks_run, 10000U);
  EXPECT_EQ(host_.calls, 1) << "an interrupted launch does not call the host again";
  EXPECT_EQ(host_.from_other_threads, 0);
}

TEST_P(InterruptionTest, NextLaunchRunsWhole) {
  EXPECT_EQ(launch(20000), KMUX_CANCELLED);
  blocks_run = 0;
  host_.ends_at = 1000000;
  EXPECT_EQ(launch(200), KMUX_OK);
  EXPECT_EQ(blocks_run, 200U);
  EXPECT_GT(host_.calls, 1);
}

TEST_P(InterruptionTest, ShortLaunchNeverCallsHost) {
  EXPECT_EQ(launch(3), KMUX_OK);
  EXPECT_EQ(host_.calls, 0);
}

TEST_P(InterruptionTest, EndsCooperativeLaunchBetweenPasses) {
  kmux_cpu_kernel kernel{};
  kernel.is_cooperative = 1;
  kernel.blocks = [](const void* arguments, const kmux_cpu_grid* grid, std::uint64_t first, std::uint64_t end,
                     char* memory) {
    take_a_millisecond(arguments, grid, first, end, memory);
    __atomic_store_n(&reinterpret_cast<kmux_cpu_pass*>(memory)->waits, 1U, __ATOMIC_RELAXED);  // without end
  };
  EXPECT_EQ(launch(4, kernel), KMUX_CANCELLED);
  EXPECT_EQ(message_, kInterruptionMessage);
}

TEST_P(InterruptionTest, NeverCallsHostOnAnotherStack) {
  const std::function<void()> launch_there = [this] { EXPECT_EQ(launch(200), KMUX_OK); };
  const auto call = [](void* function) { (*static_cast<const std::function<void()>*>(function))(); };
  EXPECT_FALSE(has_left_stack());
  EXPECT_TRUE(run_on_stack(1 << 20, call, const_cast<std::function<void()>*>(&launch_there)));
  EXPECT_EQ(host_.calls, 0);
  EXPECT_EQ(blocks_run, 200U);
}

INSTANTIATE_TEST_SUITE_P(Threads, InterruptionTest, testing::Values(1U, 4U));

}  // namespace
}  // namespace kmux::simt
