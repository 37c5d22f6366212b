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

TEST(Words, BetweenQuotesAreWhatTheyAreWhereTheyCanBeSeen) {
  EXPECT_EQ(in_double_quotes("a\"\\\n\t~\x7f"), R"("a\"\\\n\x09~\x7f")");
  EXPECT_EQ(in_double_quotes("gr\xc3\xb6\xc3\x9f"
                             "e \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\"gr\xc3\xb6\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(in_double_quotes("\xc2\xa0\xe2\x80\xae\xef\xbb\xbf"), R"("\xc2\xa0\xe2\x80\xae\xef\xbb\xbf")")
      << "not visible";
  EXPECT_EQ(in_double_quotes("\xc3(\x80\xed\xa0\x80"), R"("\xc3(\x80\xed\xa0\x80")") << "not UTF-8";
  EXPECT_EQ(in_double_quotes(std::string(119, 'a') + "\xc3\xa4"
                                                     "b"),
            '"' + std::string(119, 'a') + "\xc3\xa4...\"");
}

TEST(RandomWord, IsAnotherEachTime) {
  const std::string first = random_word();
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(random_word(), first);
}

}  // namespace
}  // namespace kmux
