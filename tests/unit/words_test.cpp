#include "kmux/plugin/words.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

TEST(Words, AreJoined) {
  EXPECT_EQ(join({"a", "b", ""}), "a, b, ");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({}, "<none>"), "<none>");
}

TEST(Words, AreTheLinesOfAText) {
  EXPECT_THAT(split_lines("a\n\nb c\n"), testing::ElementsAre("a", "b c"));
  EXPECT_THAT(split_lines(""), testing::IsEmpty());
}

TEST(Words, GoToLowerCase) { EXPECT_EQ(lower_case("CUDA:sm_90A-\xC3\x84"), "cuda:sm_90a-\xC3\x84"); }

}  // namespace
}  // namespace kmux
