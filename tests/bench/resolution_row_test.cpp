#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {
namespace {

using ::testing::ElementsAre;

TEST(ResolutionRowTest, DescribesEachCandidate) {
  Resolution resolution;
  resolution.candidates = {{.backend = "a",
                            .variant = 1,
                            .dialect = "c",
                            .target = "c -mcpu=x",
                            .stage = Stage::kPolicy,
                            .verdict = kmux::Verdict::kChosen,
                            .reason = "highest priority"},
                           {.backend = "b",
                            .dialect = "d",
                            .stage = Stage::kManifest,
                            .verdict = kmux::Verdict::kRefused,
                            .reason = "takes no dialect d"}};
  EXPECT_THAT(rows_of(resolution),
              ElementsAre(ResolutionRow{"a", 1, "c", "c -mcpu=x", "chosen", "policy", "highest priority"},
                          ResolutionRow{"b", 0, "d", "", "refused", "manifest", "takes no dialect d"}));
}

TEST(ResolutionRowTest, IsAbsentWithoutCandidates) { EXPECT_TRUE(rows_of({}).empty()); }

}  // namespace
}  // namespace kmux::bench
