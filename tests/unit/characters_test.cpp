// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/characters.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(CharactersTest, DecodesFirstUtf8Character) {
  EXPECT_EQ(first_character("ab").size, 1U);
  EXPECT_EQ(first_character("\xc3\xb6g").size, 2U);
  EXPECT_EQ(first_character("\xc3\xb6g").code, 0xf6U);
  EXPECT_EQ(first_character("\xf0\x9f\x98\x80").code, 0x1f600U);
}

TEST(CharactersTest, ReturnsSizeZeroForInvalidUtf8) {
  for (const std::string_view text : {"", "\x80", "\xc3", "\xc3(", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    EXPECT_EQ(first_character(text).size, 0U) << text;
}

TEST(CharactersTest, NamesAreAsciiAlphanumericOrUnderscore) {
  for (const char c : std::string_view("azAZ09_")) EXPECT_TRUE(is_name_character(c)) << c;
  for (const char c : std::string_view("@[`{/: $-\xe4")) EXPECT_FALSE(is_name_character(c)) << c;
}

TEST(CharactersTest, LowersOnlyAsciiLetters) { EXPECT_EQ(lower_case("CUDA:sm_90A-\xC3\x84"), "cuda:sm_90a-\xC3\x84"); }

}  // namespace
}  // namespace kmux
