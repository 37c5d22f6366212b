#include "kmux/plugin/code_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(CodeState, IsAPartOfNames) {
  Artifact artifact;
  set_state(artifact, {"counter", "a::sums"});
  ASSERT_NE(artifact.find(kStatePart), nullptr);
  EXPECT_EQ(*artifact.find(kStatePart), "counter\na::sums\n");
  EXPECT_THAT(state_of(artifact), testing::ElementsAre("counter", "a::sums"));
}

TEST(CodeState, IsNoPartWhereThereIsNone) {
  Artifact artifact;
  set_state(artifact, {});
  EXPECT_TRUE(artifact.parts.empty());
  EXPECT_TRUE(state_of(artifact).empty());
}

}  // namespace
}  // namespace kmux
