// A missing resource must lead to an error or a slower path: no process crashes, and no thread waits forever.
#include "scarcity.h"

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

struct Case {
  const char* name;
  const char* kind;
  const char* engine;
  const char* isolation;
  int most;
};

class ScarceTest : public testing::TestWithParam<Case> {};

TEST_P(ScarceTest, ResourceLeadsToErrorOrFallback) {
  const Case& one = GetParam();
  const TempFolder folder;
  const ScarcityReport report =
      Scarcity{.folder = folder.path(), .kind = one.kind, .engine = one.engine, .isolation = one.isolation}.run(
          one.most);
  EXPECT_GT(report.calls, 0) << "nothing was made to fail";
  EXPECT_EQ(report.died, 0) << report.first_problem;
  EXPECT_EQ(report.hung, 0) << report.first_problem;
  EXPECT_LE(report.refused, report.failed);
  if (std::string_view(one.kind) == "thread") {
    EXPECT_EQ(report.refused, 0) << "all can be done without another thread";
  }
}

INSTANTIATE_TEST_SUITE_P(Cold, ScarceTest,
                         testing::Values(Case{"threads", "thread", "clang", "none", 20},
                                         Case{"threads_host", "thread", "host", "none", 20},
                                         Case{"processes", "process", "host", "none", 20},
                                         Case{"workers", "process", "clang", "process", 20},
                                         Case{"descriptors", "descriptor", "clang", "none", 12},
                                         Case{"descriptors_host", "descriptor", "host", "none", 12},
                                         Case{"descriptors_workers", "descriptor", "clang", "process", 12}),
                         [](const auto& one) { return std::string(one.param.name); });

#ifndef __SANITIZE_ADDRESS__  // which owns the allocator
INSTANTIATE_TEST_SUITE_P(Memory, ScarceTest,
                         testing::Values(Case{"memory", "memory", "clang", "none", 16},
                                         Case{"memory_host", "memory", "host", "none", 16},
                                         Case{"memory_workers", "memory", "clang", "process", 16}),
                         [](const auto& one) { return std::string(one.param.name); });
#endif

}  // namespace
}  // namespace kmux
