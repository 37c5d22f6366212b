// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/printable.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(PrintableTest, LeavesTextUnchanged) {
  for (const char* const text : {"", "a b", "two\nlines\n", "a\ttab", "of Windows\r\n", "5 \xc2\xb5s", "\xe6\xbc\xa2"})
    EXPECT_EQ(printable(text), text);
}

TEST(PrintableTest, AsUtf8EscapesInvalidBytesAlone) {
  EXPECT_EQ(as_utf8("a\xff\xc2"), "a\\xff\\xc2");
  EXPECT_EQ(as_utf8("5 \xc2\xb5s \033[\n\xc2\x9b"), "5 \xc2\xb5s \033[\n\xc2\x9b");
}

TEST(PrintableTest, EscapesTerminalControlCharacters) {
  EXPECT_EQ(printable("\033]0;owned\a"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(printable("a\rb\bc\x7f"), "a\\x0db\\x08c\\x7f");
  EXPECT_EQ(printable({"\0", 1}), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "C1 in UTF-8";
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m")
      << "C1 of eight bits";
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt.exe"),
            "\\xe2\\x80\\xaetxt.exe")
      << "from right to left";
}

TEST(PrintableTest, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "longer than it need be";
}

}  // namespace
}  // namespace kmux
