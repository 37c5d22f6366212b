// Launches of kernels that need more stack than their thread has.
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "runtime/small_stack.h"
#include "simt/runtime/launch.h"
#include "simt/runtime/pool.h"
#include "simt/runtime/processor.h"

namespace kmux::simt {
namespace {

constexpr std::size_t kLargeFrame = std::size_t{1} << 20;

struct FrameRecord {
  std::vector<std::atomic<int>> seen;
  std::uint64_t block_ns = 0;
  bool throws = false;
};

// Uses a megabyte of its thread's stack.
void run_with_frame(const void* arguments, const kmux_cpu_grid*, std::uint64_t first, std::uint64_t end, char*) {
  FrameRecord& record = **static_cast<FrameRecord* const*>(arguments);
  volatile char frame[kLargeFrame];
  for (std::size_t i = 0; i < kLargeFrame; i += 1000) frame[i] = 1;
  if (record.throws) throw std::runtime_error("too warm");
  for (std::uint64_t block = first; block < end; ++block) {
    record.seen[block].fetch_add(frame[1000]);
    const std::uint64_t until = nanoseconds() + record.block_ns;
    while (nanoseconds() < until) relax();
  }
}

/// Runs on four threads, on any machine, the first of which has a small stack.
class LargeFramesTest : public testing::Test {
 protected:
  LargeFramesTest() { pool().limit(4); }
  ~LargeFramesTest() override { pool().limit(0); }

  int run(FrameRecord& record) {
    kmux_cpu_kernel kernel = {run_with_frame, 0, 0, 5, 0, 0, 0, 0, kLargeFrame + 4096};
    const kmux_cpu_grid grid = {{static_cast<unsigned>(record.seen.size()), 1, 1}, {64, 1, 1}, 0, discard(), 0};
    FrameRecord* const argument = &record;
    return on_small_stack([&] {
      try {
        return kmux_cpu_run(&grid, &kernel, &argument);
      } catch (const std::exception& exception) {
        failure_ = exception.what();
        return -1;
      }
    });
  }
  std::string failure_;
};

TEST_F(LargeFramesTest, GetLargeEnoughStack) {
  for (const std::size_t blocks : {1, 3, 2000}) {
    FrameRecord record{std::vector<std::atomic<int>>(blocks), 10000000 / blocks};
    EXPECT_EQ(run(record), KMUX_OK);
    for (const std::atomic<int>& count : record.seen) ASSERT_EQ(count.load(), 1);
  }
}

TEST_F(LargeFramesTest, PropagateExceptionsFromSeparateStack) {
  FrameRecord record{std::vector<std::atomic<int>>(1), 0, true};
  EXPECT_EQ(run(record), -1);
  EXPECT_EQ(failure_, "too warm");
}

}  // namespace
}  // namespace kmux::simt
