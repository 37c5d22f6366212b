#include <gtest/gtest.h>

#include "simt/frontend/preamble_store.h"

namespace kmux::simt {
namespace {

// Returns the preamble of `source`.
std::string of(const std::string& source) { return source.substr(0, preamble_size(source)); }

TEST(PreambleTest, ContainsLeadingIncludes) {
  EXPECT_EQ(of("#include <a>\nint x;\n"), "#include <a>\n");
  EXPECT_EQ(of("// one\n\n/* two\n */ #  include \"b.h\" // x\n# /**/ include/**/<c>\n\nint x;\n#include <d>\n"),
            "// one\n\n/* two\n */ #  include \"b.h\" // x\n# /**/ include/**/<c>\n\n");
  EXPECT_EQ(of("#include <a>\r\n#include <b>\r\nint x;"), "#include <a>\r\n#include <b>\r\n");
}

TEST(PreambleTest, EndsBeforeFirstOtherLine) {
  for (const char* next :
       {"#define N 1\n#include <b>\n", "#if X\n#include <b>\n#endif\n", "#include MACRO\n", "#include <b> int x;\n",
        "#pragma once\n", "#include_next <b>\n", "#import <b>\n", "#include <b\n", "/* no end\n", "/* two */ int x;\n",
        "/* a\n b */ int x;\n", "// joined \\\nint x;\n", "#inc\\\nlude <b>\n", "#include <b>",
        "#include <b> \\\nint x;\n"}) {
    EXPECT_EQ(of(std::string("#include <a>\n") + next), "#include <a>\n") << next;
  }
}

TEST(PreambleTest, ListsIncludedFiles) {
  EXPECT_EQ(included_first("// one\n#include <a>\n#include \"b/c.h\"\n\nint x;\n#include <d>\n"),
            (std::vector<std::string>{"a", "b/c.h"}));
  EXPECT_EQ(included_first("#include <a>\n#include <b> int x;\n"), std::vector<std::string>{"a"});
  EXPECT_TRUE(included_first("int x;\n#include <a>\n").empty());
}

TEST(PreambleTest, IsEmptyWithoutIncludes) {
  for (const char* source : {"", "\n\n", "// only a comment\n\nint x;\n", "int x;\n#include <a>\n", "#include <a>"}) {
    EXPECT_EQ(of(source), "") << source;
  }
}

}  // namespace
}  // namespace kmux::simt
