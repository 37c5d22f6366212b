#include "kmux/plugin/code_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(CodeStateTest, IsStoredAsArtifactPart) {
  Artifact artifact;
  set_state(artifact, {"counter", "a::sums"});
  ASSERT_NE(artifact.find(kStatePart), nullptr);
  EXPECT_EQ(*artifact.find(kStatePart), "counter\na::sums\n");
  EXPECT_THAT(state_of(artifact), testing::ElementsAre("counter", "a::sums"));
}

TEST(CodeStateTest, AddsNoPartWhenEmpty) {
  Artifact artifact;
  set_state(artifact, {});
  EXPECT_TRUE(artifact.parts.empty());
  EXPECT_TRUE(state_of(artifact).empty());
}

TEST(ObjectVariablesTest, AreEmptyForInvalidObjects) {
  EXPECT_THAT(variables_of_object(""), testing::IsEmpty());
  EXPECT_THAT(variables_of_object("int x;"), testing::IsEmpty());
  EXPECT_THAT(variables_of_object(std::string("\x7f"
                                              "ELF\x02") +
                                  std::string(200, '\xff')),
              testing::IsEmpty());
}

}  // namespace
}  // namespace kmux
