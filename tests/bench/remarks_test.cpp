#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contest.h"

namespace kmux::bench {
namespace {

using ::testing::ElementsAre;

TEST(RemarksTest, MergeEqualRemarksOfEntrants) {
  Contest contest;
  contest.entrants = {{.backend = "a", .target = {}, .tier = {}, .remarks = {"no events", "cold"}},
                      {.backend = "b", .target = {}, .tier = {}},
                      {.backend = "c", .target = {}, .tier = {}, .remarks = {"no events"}}};
  EXPECT_THAT(remarks_of(contest), ElementsAre("a, c: no events", "a: cold"));
}

}  // namespace
}  // namespace kmux::bench
