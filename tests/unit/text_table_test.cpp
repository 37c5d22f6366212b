#include "base/text_table.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(TextTableTest, AlignsColumns) {
  TextTable table({{"name"}, {"bytes", TextTable::Align::kRight}, {"note"}});
  table.add({"a", "1024", "x y"});
  table.add({"longer", "8"});
  EXPECT_EQ(table.to_string(),
            "name    bytes  note\n"
            "a        1024  x y\n"
            "longer      8\n");
}

TEST(TextTableTest, IndentsEveryLine) {
  TextTable table({{"n"}});
  table.add({"1"});
  EXPECT_EQ(table.to_string(2), "  n\n  1\n");
}

TEST(TextTableTest, CountsCharactersNotBytes) {
  TextTable table({{"t"}, {"u"}});
  table.add({"\xC2\xB5s", "1"});
  table.add({"ms", "2"});
  EXPECT_EQ(table.to_string(), "t   u\n\xC2\xB5s  1\nms  2\n");
}

TEST(TextTableTest, PrintsTitlesWithoutRows) { EXPECT_EQ(TextTable({{"a"}, {"b"}}).to_string(), "a  b\n"); }

}  // namespace
}  // namespace kmux
