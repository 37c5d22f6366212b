// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/word_list.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

TEST(WordListTest, JoinsWithCommas) {
  EXPECT_EQ(join({"a", "b", ""}), "a, b, ");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({}, "<none>"), "<none>");
}

TEST(WordListTest, SplitsTextIntoLines) {
  EXPECT_THAT(split_lines("a\n\nb c\n"), testing::ElementsAre("a", "b c"));
  EXPECT_THAT(split_lines(""), testing::IsEmpty());
}

TEST(WordListTest, ListsQuotedAlternatives) {
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b", "c"}), R"("a", "b" or "c")");
  EXPECT_EQ(listed(std::vector<std::string>{"a"}), R"("a")");
  EXPECT_EQ(listed(std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace kmux
