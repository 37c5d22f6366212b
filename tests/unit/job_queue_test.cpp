#include "pool/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

std::vector<JobGroup> groups(const std::vector<int>& priorities) {
  std::vector<JobGroup> groups;
  for (std::size_t i = 0; i < priorities.size(); ++i) groups.push_back({{i}, priorities[i]});
  return groups;
}

std::vector<std::size_t> started(JobQueue& queue) {
  std::vector<std::size_t> order;
  while (const auto next = queue.start_next()) order.push_back(*next);
  return order;
}

TEST(JobQueueTest, StartsByPriorityThenInputOrder) {
  JobQueue queue(groups({0, 2, -1, 2}), true);
  EXPECT_THAT(started(queue), ElementsAre(1, 3, 0, 2));
}

TEST(JobQueueTest, CancelsOnlyJobsAfterFailureInInput) {
  JobQueue queue(groups({0, 0, 5, 0}), true);
  EXPECT_THAT(queue.start_next(), Optional(2));
  EXPECT_THAT(queue.end(2, JobStep::kFailed), ElementsAre(3));
  EXPECT_THAT(started(queue), ElementsAre(0, 1));  // one of them may be the first failure
}

TEST(JobQueueTest, CancelsNothingWhenFailuresAreIgnored) {
  JobQueue queue(groups({0, 0}), false);
  queue.start_next();
  EXPECT_THAT(queue.end(0, JobStep::kFailed), IsEmpty());
  EXPECT_THAT(started(queue), ElementsAre(1));
}

TEST(JobQueueTest, IsOverWhenNoJobIsQueuedOrRunning) {
  JobQueue queue(groups({0, 0}), true);
  queue.start_next();
  EXPECT_THAT(queue.cancel_queued(), ElementsAre(1));
  EXPECT_FALSE(queue.is_over());
  EXPECT_FALSE(queue.has_queued());
  queue.end(0, JobStep::kDone);
  EXPECT_TRUE(queue.is_over());
}

TEST(JobQueueTest, CountsJobsNotGroups) {
  JobQueue queue({{{0, 2, 3}, 0}, {{1}, 0}}, true);
  queue.start_next();
  EXPECT_EQ(queue.counts(), (CompileCounts{.total = 4, .running = 3}));
  EXPECT_EQ(queue.counts().queued(), 1U);
  queue.end(0, JobStep::kFailed);
  EXPECT_EQ(queue.counts(), (CompileCounts{.total = 4, .failed = 3, .cancelled = 1}));
  EXPECT_EQ(queue.counts().finished(), 4U);
}

std::vector<JobGroup> grouped(const std::vector<CompileJob>& jobs) {
  std::vector<const CompileJob*> pointers;
  for (const CompileJob& job : jobs) pointers.push_back(&job);
  return group_identical(pointers);
}

TEST(GroupIdenticalTest, GroupsEqualProgramsAndOptions) {
  const Program a{.name = "a"}, b{.name = "b"};
  const auto found = grouped({{a}, {b}, {a}, {a, {.target = "c"}}, {b, {}, 7}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].members, ElementsAre(0, 2));
  EXPECT_THAT(found[1].members, ElementsAre(1, 4));
  EXPECT_EQ(found[1].priority, 7);  // the highest priority of the members decides
  EXPECT_THAT(found[2].members, ElementsAre(3));
}

TEST(GroupIdenticalTest, ComparesWholePrograms) {
  Program a{.name = "a"}, other{.name = "a"};
  other.metadata.description = "the fingerprint does not see this";
  EXPECT_EQ(grouped({{a}, {other}}).size(), 2U);
}

}  // namespace
}  // namespace kmux
