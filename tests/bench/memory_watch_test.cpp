#include "memory_watch.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/process.h"

#include "needs.h"

namespace kmux::bench {
namespace {

constexpr std::uint64_t kMib = 1024 * 1024;

/// A process that has 200 MiB in memory.
Command large_process() { return {{"dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=4"}}; }

TEST(MemoryWatchTest, MeasuresChildProcess) {
  if (is_portable()) GTEST_SKIP() << needs("Linux's /proc", "the portable way knows no memory of other processes");
  MemoryWatch watch;
  ASSERT_TRUE(run(large_process()).ok());
  const std::uint64_t most = watch.stop();
  EXPECT_GE(most, 200 * kMib);
  EXPECT_LT(most, 300 * kMib);
  EXPECT_EQ(watch.stop(), most) << "it has ended";
}

TEST(MemoryWatchTest, MeasuresGrandchildProcess) {
  if (is_portable()) GTEST_SKIP() << needs("Linux's /proc", "the portable way knows no memory of other processes");
  MemoryWatch watch;
  ASSERT_TRUE(run({{"sh", "-c", "dd if=/dev/zero of=/dev/null bs=200M count=4; true"}}).ok());
  EXPECT_GE(watch.stop(), 200 * kMib);
}

TEST(MemoryWatchTest, ExcludesOwnProcess) {
  MemoryWatch watch;
  const std::string large(64 * kMib, 'x');
  EXPECT_EQ(large.back(), 'x');
  EXPECT_EQ(watch.stop(), 0U);
}

bool has_a_child() {
  const Processes processes = processes_now();
  return std::ranges::any_of(processes, [](const auto& entry) {
    return entry.second.parent == getpid() && entry.second.program.ends_with("sleep");
  });
}

TEST(MemoryWatchTest, ExcludesEarlierProcesses) {
  if (is_portable()) GTEST_SKIP() << needs("Linux's /proc", "the portable way knows no memory of other processes");
  const std::jthread other([](const std::stop_token& stop) {
    Command command{{"sleep", "60"}};
    command.stopping = [&] { return stop.stop_requested(); };
    EXPECT_FALSE(run(command).ok()) << "it is stopped";
  });
  while (!has_a_child()) std::this_thread::yield();
  MemoryWatch watch;
  EXPECT_EQ(watch.stop(), 0U);
}

}  // namespace
}  // namespace kmux::bench
