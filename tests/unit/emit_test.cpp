#include "kmux/plugin/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CodeWriterTest, IndentsByDepth) {
  CodeWriter out;
  out.open("if (a) {").line("b();").line().reopen("} else {").lines("c();\n\nd();").close();
  EXPECT_EQ(out.text(), "if (a) {\n  b();\n\n} else {\n  c();\n\n  d();\n}\n");
}

TEST(CodeWriterTest, DedentsWithoutLine) {
  CodeWriter out;
  out.open("a").line("b").dedent().line("c");
  EXPECT_EQ(out.text(), "a\n  b\nc\n");
}

TEST(QuoteCTest, EscapesSpecialCharacters) {
  EXPECT_EQ(quote_c("plain"), "\"plain\"");
  EXPECT_EQ(quote_c("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
  EXPECT_EQ(quote_c(std::string("\0"
                                "1",
                                2)),
            "\"\\0001\"");
  EXPECT_EQ(quote_c("\xc3\xa4"), "\"\\303\\244\"");
  EXPECT_EQ(quote_c("\?\?="), "\"\\077\\077=\"");
}

TEST(LauncherPreludeTest, ContainsOnlyUsedFunctions) {
  const std::string text = launcher_prelude_for("x = kmux_floordiv(a, b, kmux_fault);");
  EXPECT_THAT(text, HasSubstr("kmux_floordiv("));
  EXPECT_THAT(text, HasSubstr("kmux_truncdiv("));  // kmux_floordiv calls it
  EXPECT_THAT(text, HasSubstr("kmux_note("));
  EXPECT_THAT(text, Not(HasSubstr("kmux_floormod(")));
  EXPECT_THAT(text, Not(HasSubstr("kmux_memory")));
}

TEST(LauncherPreludeTest, IgnoresPartialWordMatches) {
  EXPECT_THAT(launcher_prelude_for("kmux_add_more(1); my_kmux_mul(2);"), Not(HasSubstr("static inline")));
}

TEST(CTypeTest, PreservesWidth) {
  EXPECT_EQ(c_type(dtype::kFloat32), "float");
  EXPECT_EQ(c_type(dtype::kFloat64), "double");
  EXPECT_EQ(c_type(dtype::kBool), "bool");
  EXPECT_EQ(c_type(dtype::kInt8), "signed char");
  EXPECT_EQ(c_type(dtype::kUInt32), "unsigned int");
  EXPECT_EQ(c_type(dtype::kInt64), "long long");
  EXPECT_EQ(c_type(dtype::kFloat16), "unsigned short");
  EXPECT_EQ(c_type(dtype::kBFloat16), "unsigned short");
  EXPECT_EQ(c_type(dtype::kFloat8E5M2), "unsigned char");
}

}  // namespace
}  // namespace kmux
