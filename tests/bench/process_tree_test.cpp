#include <unistd.h>

#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"

#include "bench/src/memory_watch.h"
#include "needs.h"

namespace kmux::bench {
namespace {

TEST(ProcessTreeTest, ParsesProcessStatus) {
  const auto facts = facts_in("Name:\tcc1\nPid:\t12\nPPid:\t7\nVmPeak:\t  900 kB\nVmHWM:\t   200 kB\nVmRSS:\t 3 kB\n");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->parent, 7);
  EXPECT_EQ(facts->most_bytes, 200U * 1024);
  EXPECT_FALSE(facts_in("Name:\tcc1\nState:\tZ (zombie)\nPid:\t12\nPPid:\t7\n").has_value()) << "it has ended";
  EXPECT_FALSE(facts_in("").has_value());
}

TEST(ProcessTreeTest, ContainsCurrentProcess) {
  if (is_portable()) GTEST_SKIP() << needs("Linux's /proc", "the portable way knows no memory of other processes");
  const Processes processes = processes_now();
  const auto found = processes.find(getpid());
  ASSERT_NE(found, processes.end());
  EXPECT_EQ(found->second.parent, getppid());
  EXPECT_GT(found->second.most_bytes, 1024U * 1024);
  EXPECT_TRUE(found->second.program.ends_with("bench_tests")) << found->second.program;
}

TEST(ProcessTreeTest, SumsDescendantMemory) {
  const Processes processes = {{1, {0, 1000, "init"}},   {10, {1, 100, "kmux"}}, {11, {10, 20, "worker"}},
                               {12, {11, 30, "driver"}}, {13, {12, 40, "cc1"}},  {14, {1, 5000, "other"}}};
  EXPECT_EQ(memory_under(processes, 10, {}), 90U);
  EXPECT_EQ(memory_under(processes, 13, {}), 0U);
  EXPECT_EQ(memory_under(processes, 10, {{12, {}}}), 20U) << "with all that it started";
}

TEST(ProcessTreeTest, CountsOnlyGrowthOfForkedCopies) {
  const Processes processes = {
      {10, {1, 100, "kmux"}}, {11, {10, 100, "kmux"}}, {12, {11, 130, "kmux"}}, {13, {12, 7, ""}}};
  EXPECT_EQ(memory_under(processes, 10, {}), 37U);
}

}  // namespace
}  // namespace kmux::bench
