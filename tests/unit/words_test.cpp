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

TEST(RandomWord, IsAnotherEachTime) {
  const std::string first = random_word();
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(random_word(), first);
}

}  // namespace
}  // namespace kmux
