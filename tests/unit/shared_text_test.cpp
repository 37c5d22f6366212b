#include <gtest/gtest.h>

#include "kmux/plugin/emit.h"

namespace kmux {
namespace {

// C2.20
TEST(SharedTextTest, IsOmittedFromOwnText) {
  const std::string launcher =
      "int a;\n" + shared_text("the layer", "int b;\nint c;\n") + "int d;\n" + shared_text("the end", "int e;");
  EXPECT_EQ(own_text(launcher),
            "int a;\n"
            "// the layer (2 lines, the same in every launcher)\n"
            "int d;\n"
            "// the end (1 lines, the same in every launcher)\n");
  EXPECT_NE(launcher.find("int c;\n"), std::string::npos);
}

TEST(SharedTextTest, TextWithoutMarkersIsUnchanged) {
  for (const std::string text : {"", "plan\n", "plan\n\n  launch", "\n"}) EXPECT_EQ(own_text(text), text);
}

TEST(SharedTextTest, UnterminatedBlockExtendsToEnd) {
  const std::string cut = shared_text("all", "x\ny\n");
  EXPECT_EQ(own_text(cut.substr(0, cut.find("y\n"))), "// all (1 lines, the same in every launcher)\n");
}

}  // namespace
}  // namespace kmux
