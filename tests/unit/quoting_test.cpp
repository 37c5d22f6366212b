// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/quoting.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(QuotingTest, LeavesNamesUnchanged) { EXPECT_EQ(in_quotes("a\"\n"), "\"a\"\n\""); }

TEST(QuotingTest, EscapesInvisibleCharacters) {
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

}  // namespace
}  // namespace kmux
