#include "simt/runtime/launch.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "runtime/counted_memory.h"
#include "simt/runtime/division.h"
#include "simt/runtime/pool.h"
#include "simt/runtime/processor.h"

namespace kmux::simt {
namespace {

using testing::HasSubstr;

/// The observations of a test's kernel about its blocks.
struct Record {
  explicit Record(std::size_t blocks) : seen(blocks) {}
  bool each_once() const {
    for (const auto& count : seen) {
      if (count.load() != 1) return false;
    }
    return true;
  }
  void note_thread() {
    const std::size_t mine = std::hash<std::thread::id>{}(std::this_thread::get_id());
    for (auto& place : threads) {
      std::size_t none = 0;
      if (place == mine || place.compare_exchange_strong(none, mine) || none == mine) return;
    }
  }
  unsigned thread_count() const {
    unsigned count = 0;
    for (const auto& place : threads) count += place != 0 ? 1U : 0U;
    return count;
  }

  std::vector<std::atomic<int>> seen;
  std::atomic<unsigned> quarters_begun{0};
  std::atomic<bool> begins_within_column{false};
  std::atomic<bool> has_found_tiles{false};
  std::atomic<std::size_t> threads[16] = {};
  std::uint64_t block_ns = 0;
  std::uint64_t number = 0;
  std::uint64_t throws_at = ~std::uint64_t{0};
};

void run_blocks(const void* arguments, const kmux_cpu_grid*, std::uint64_t first, std::uint64_t end, char*) {
  Record& record = **static_cast<Record* const*>(arguments);
  record.note_thread();
  for (std::uint64_t block = first; block < end; ++block) {
    if (block == record.throws_at) throw std::runtime_error("too warm");
    record.seen[block].fetch_add(1);
    if (record.block_ns == 0) continue;
    const std::uint64_t until = nanoseconds() + record.block_ns;
    while (nanoseconds() < until) relax();
  }
}

kmux_cpu_kernel kernel_of(kmux_cpu_blocks blocks, std::uint64_t shared = 0, std::uint64_t frame = 0) {
  return {blocks, shared, frame, 5, 0, 0, 0, 0, 0};
}

kmux_cpu_grid grid_of(unsigned x, unsigned y = 1, unsigned z = 1) { return {{x, y, z}, {64, 1, 1}, 0, discard()}; }

/// Four threads, on any machine.
class LaunchTest : public testing::Test {
 protected:
  LaunchTest() { pool().limit(4); }
  ~LaunchTest() override { pool().limit(0); }

  static int run(kmux_cpu_kernel& kernel, const kmux_cpu_grid& grid, Record& record) {
    Record* const argument = &record;
    return kmux_cpu_run(&grid, &kernel, &argument);
  }
};

TEST_F(LaunchTest, RunsEveryBlockOnce) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  for (const unsigned blocks : {1U, 2U, 3U, 17U, 1000U, 100000U}) {
    for (int round = 0; round < 5; ++round) {
      Record record(blocks * 6UL);
      EXPECT_EQ(run(kernel, grid_of(blocks, 3, 2), record), KMUX_OK);
      EXPECT_TRUE(record.each_once()) << blocks;
    }
  }
}

// In a grid of 32 rows and columns, 16 rows of each column run consecutively. Records where parts and threads begin.
void run_columns(const void* arguments, const kmux_cpu_grid* grid, std::uint64_t first, std::uint64_t end,
                 char* memory) {
  Record& record = **static_cast<Record* const*>(arguments);
  if (first % 16 != 0) record.begins_within_column = true;
  thread_local std::uint64_t last = 0;
  const bool is_new = std::exchange(last, record.number) != record.number;
  if (is_new && first % 256 == 0) record.quarters_begun |= 1U << (first / 256);
  run_blocks(arguments, grid, first, end, memory);
}

TEST_F(LaunchTest, AssignsWholeColumnsToThreads) {
  kmux_cpu_kernel kernel = kernel_of(run_columns, 0, sizeof(kmux_cpu_tiles));
  kernel.column_rows = 16;
  unsigned begun = 0;
  for (unsigned round = 1; round < 50000 && (round < 20 || begun != 0b1111); ++round) {  // threads may be late
    kernel.cost = ticks_per_us() << (kCostFraction - 1);
    Record record(1024);
    record.block_ns = 1000;
    record.number = round;
    EXPECT_EQ(run(kernel, grid_of(32, 32), record), KMUX_OK);
    EXPECT_TRUE(record.each_once());
    EXPECT_FALSE(record.begins_within_column);
    begun |= record.quarters_begun;
  }
  EXPECT_EQ(begun, 0b1111U);
}

TEST_F(LaunchTest, DividesColumnsAfterCallerProbe) {
  for (const unsigned rows : {1U, 5U, 12U, 13U, 40U}) {
    kmux_cpu_kernel kernel = kernel_of(run_blocks, 0, sizeof(kmux_cpu_tiles));
    kernel.column_rows = 12;
    Record record(3UL * rows * 7);
    record.block_ns = 10000;
    EXPECT_EQ(run(kernel, grid_of(3, rows, 7), record), KMUX_OK);
    EXPECT_TRUE(record.each_once()) << rows;
  }
}

// Finds the tiles of its launch or none. Must find none in the first call of a launch on its thread.
void use_tiles(const void* arguments, const kmux_cpu_grid* grid, std::uint64_t first, std::uint64_t end, char* memory) {
  Record& record = **static_cast<Record* const*>(arguments);
  auto* const tiles = reinterpret_cast<kmux_cpu_tiles*>(memory + 64 + grid->dynamic_bytes);
  thread_local const Record* last = nullptr;
  const bool has_begun = std::exchange(last, &record) == &record;
  EXPECT_TRUE(tiles->goes_on == 0 || (has_begun && tiles->goes_on == record.number)) << tiles->goes_on;
  record.has_found_tiles = record.has_found_tiles || tiles->goes_on != 0;
  tiles->goes_on = record.number;
  run_blocks(arguments, grid, first, end, memory);
}

TEST_F(LaunchTest, FindsTilesOfSameLaunchOnly) {
  kmux_cpu_kernel kernel = kernel_of(use_tiles, 64, sizeof(kmux_cpu_tiles));
  kernel.column_rows = 12;
  std::vector<std::unique_ptr<Record>> records;
  for (const unsigned rows : {1U, 3U, 40U, 40U, 3U, 1U}) {
    kmux_cpu_grid grid = grid_of(rows == 1 ? 1 : 4, rows, rows);
    grid.dynamic_bytes = 128;
    records.push_back(std::make_unique<Record>(std::size_t{grid.grid[0]} * rows * rows));
    records.back()->block_ns = 1000;
    records.back()->number = records.size();
    EXPECT_EQ(run(kernel, grid, *records.back()), KMUX_OK);
    EXPECT_TRUE(records.back()->each_once()) << rows;
    EXPECT_TRUE(rows != 40 || records.back()->has_found_tiles);
  }
}

TEST_F(LaunchTest, DividesFirstLaunch) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  Record record(400);
  record.block_ns = 100000;
  EXPECT_EQ(run(kernel, grid_of(400), record), KMUX_OK);
  EXPECT_TRUE(record.each_once());
  EXPECT_EQ(record.thread_count(), 4U);
}

TEST_F(LaunchTest, RunsShortLaunchesOnCaller) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  for (int round = 0; round < 100; ++round) {
    Record record(8);
    EXPECT_EQ(run(kernel, grid_of(8), record), KMUX_OK);
    EXPECT_TRUE(round < 50 || record.thread_count() == 1);
  }
}

TEST_F(LaunchTest, LearnsBlockCost) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  const auto us = [&kernel] { return static_cast<double>(kernel.cost) / 256 / static_cast<double>(ticks_per_us()); };
  for (int round = 0; round < 20; ++round) {
    Record record(50);
    record.block_ns = 20000;
    run(kernel, grid_of(50), record);
  }
  EXPECT_GT(us(), 19);
  EXPECT_LT(us(), 200) << "of 20, on a machine that others may use";
  for (int round = 0; round < 20; ++round) {
    Record record(50);
    run(kernel, grid_of(50), record);
  }
  EXPECT_LT(us(), 10) << "arguments have made blocks cheap";
}

TEST_F(LaunchTest, CorrectsWrongEstimateDuringLaunch) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  Record record(4000);
  kernel.cost = ticks_per_us() * 256 / 50;  // 20 ns: more shares than threads, also in ticks of 40 ns
  record.block_ns = 100000;
  EXPECT_EQ(run(kernel, grid_of(4000), record), KMUX_OK);
  EXPECT_TRUE(record.each_once());
  EXPECT_EQ(record.thread_count(), 4U);
}

TEST_F(LaunchTest, PropagatesBlockExceptions) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  for (const std::uint64_t at : {0U, 1U, 150U, 299U}) {
    for (int round = 0; round < 5; ++round) {
      Record record(300);
      record.block_ns = 20000;
      record.throws_at = at;
      std::string said;
      try {
        run(kernel, grid_of(300), record);
      } catch (const std::runtime_error& error) {
        said = error.what();
      }
      EXPECT_EQ(said, "too warm") << at;
      EXPECT_EQ(record.seen[at], 0);
    }
  }
  Record one(1);
  one.throws_at = 0;
  EXPECT_THROW(run(kernel, grid_of(1), one), std::runtime_error);
  Record good(300);
  EXPECT_EQ(run(kernel, grid_of(300), good), KMUX_OK);
  EXPECT_TRUE(good.each_once()) << "the next launch is as any";
}

TEST_F(LaunchTest, NestedLaunchesRunOnCallingThread) {
  static kmux_cpu_kernel inner = kernel_of(run_blocks, 64);
  static std::atomic<int> wrong;
  wrong = 0;
  kmux_cpu_kernel outer = kernel_of(
      [](const void*, const kmux_cpu_grid*, std::uint64_t first, std::uint64_t end, char* memory) {
        for (std::uint64_t block = first; block < end; ++block) {
          std::memset(memory, 5, 1000);
          Record record(20);
          record.block_ns = 10000;
          if (run(inner, grid_of(20), record) != KMUX_OK || !record.each_once()) ++wrong;
          for (int i = 0; i < 1000; ++i) wrong += memory[i] == 5 ? 0 : 1;
          // The first of these launches measures that dividing is worth it, on a thread that is not yet at work.
          if (record.thread_count() != 1 && first > 0) ++wrong;
        }
      },
      1000);
  Record unused(0);
  EXPECT_EQ(run(outer, grid_of(50), unused), KMUX_OK);
  EXPECT_EQ(wrong, 0);
}

TEST_F(LaunchTest, ServesConcurrentApplicationThreads) {
  static kmux_cpu_kernel kernel = kernel_of(run_blocks, 512, 128);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&wrong, i] {
      for (int round = 0; round < 50; ++round) {
        Record record(static_cast<std::size_t>(1 + (i * round) % 60));
        record.block_ns = 2000;
        const int code = run(kernel, grid_of(static_cast<unsigned>(record.seen.size())), record);
        wrong += code != KMUX_OK || !record.each_once() ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Kernels that use all memory given to them.
void fill_memory(const void* arguments, const kmux_cpu_grid* launch, std::uint64_t first, std::uint64_t end,
                 char* memory) {
  const std::size_t bytes = *static_cast<const std::size_t*>(arguments);
  for (std::uint64_t block = first; block < end; ++block) {
    std::memset(memory, static_cast<int>(block % 100), bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      if (memory[i] != static_cast<char>(block % 100)) throw std::runtime_error("another block writes here");
    }
  }
  (void)launch;
}

TEST_F(LaunchTest, RunsFullSharedMemoryOnSmallStack) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 256 << 10), 0);
  const auto body = [](void* wrong) -> void* {
    kmux_cpu_kernel kernel = kernel_of(fill_memory, 100 << 10, 1000);
    kmux_cpu_grid grid = grid_of(200);
    grid.dynamic_bytes = 127 << 10;
    const std::size_t bytes = (227 << 10) + 2 * 1000;
    for (int i = 0; i < 3; ++i) *static_cast<int*>(wrong) += kmux_cpu_run(&grid, &kernel, &bytes);
    return nullptr;
  };
  int wrong = 0;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &small, body, &wrong), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  EXPECT_EQ(wrong, 0);
}

TEST_F(LaunchTest, RepeatedLaunchDoesNotAllocate) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks, 100 << 10, 1000);
  pool().start();
  Record record(300);
  record.block_ns = 5000;
  for (int round = 0; round < 3; ++round) run(kernel, grid_of(300), record);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // threads have their memory
  const std::size_t before = counted_allocations();
  for (int round = 0; round < 50; ++round) {
    run(kernel, grid_of(300), record);
    run(kernel, grid_of(1), record);
    run(kernel, grid_of(3), record);
  }
  EXPECT_EQ(counted_allocations(), before);
  EXPECT_GT(record.thread_count(), 1U);
}

/// Returns the message of a refused launch.
std::string refusal(const kmux_cpu_grid& like, std::uint64_t shared = 0) {
  std::string text;
  kmux_cpu_grid grid = like;
  grid.error = append_to(text);
  kmux_cpu_kernel kernel = kernel_of(run_blocks, shared);
  EXPECT_EQ(kmux_cpu_run(&grid, &kernel, nullptr), KMUX_INVALID_ARGUMENT);
  return text;
}

TEST_F(LaunchTest, RejectsInvalidLaunchSizes) {
  kmux_cpu_grid grid = grid_of(1);
  grid.block[1] = 64;
  EXPECT_EQ(refusal(grid), "a block of 4096 threads (there are 1 to 1024). Use a smaller block.");
  grid.block[0] = grid.block[1] = grid.block[2] = ~0U;
  EXPECT_THAT(refusal(grid), HasSubstr("a block of 18446744073709551615 threads"));
  grid.block[1] = 0;
  EXPECT_THAT(refusal(grid), HasSubstr("a block of 0 threads"));
  grid = grid_of(1);
  grid.dynamic_bytes = 232448;
  EXPECT_EQ(refusal(grid, 64), "232512 bytes of shared memory (there are 232448). Use less.");
  EXPECT_THAT(refusal(grid_of(~0U, ~0U, ~0U)), HasSubstr("the grid has more blocks than can be counted (2^63)"));
}

/// A kernel of no cost, over the largest grid: it counts blocks, and throws after enough of them.
struct Largest {
  static void blocks(const void* arguments, const kmux_cpu_grid*, std::uint64_t first, std::uint64_t end, char*) {
    if (first >= end || end > 2147483647ULL * 65535 * 65535) throw std::logic_error("it runs over");
    Largest& all = **static_cast<Largest* const*>(arguments);
    all.count += end - first;
    if (first > all.enough) throw std::runtime_error("far enough");  // all of them would take years
  }

  std::uint64_t enough = 0;
  std::atomic<std::uint64_t> count{0};
};

// The size of a part depends on the time of the first one, which under QEMU is its translation. Parts then have few
// blocks, and 2^33 blocks would take hours. So they are counted only where a block is known to cost nothing.
TEST_F(LaunchTest, CountsBlocksOfLargestGrid) {
  const kmux_cpu_grid grid = grid_of(2147483647U, 65535, 65535);
  for (const auto& [cost, enough] : {std::pair<BlockCost, std::uint64_t>{0, 1 << 16}, {1, 1ULL << 33}}) {
    Largest all{enough};
    Largest* const argument = &all;
    kmux_cpu_kernel kernel = kernel_of(Largest::blocks);
    kernel.cost = cost;
    EXPECT_THROW(kmux_cpu_run(&grid, &kernel, &argument), std::runtime_error);
    EXPECT_GT(all.count, enough);
  }
}

TEST_F(LaunchTest, EmptyGridRunsNoBlocks) {
  kmux_cpu_kernel kernel = kernel_of(run_blocks);
  Record record(1);
  EXPECT_EQ(run(kernel, grid_of(5, 0, 3), record), KMUX_OK);
  EXPECT_EQ(record.seen[0], 0);
}

}  // namespace
}  // namespace kmux::simt
