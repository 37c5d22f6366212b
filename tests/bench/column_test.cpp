#include <set>

#include <gtest/gtest.h>

#include "kmux/bench/figure.h"

namespace kmux::bench {
namespace {

TEST(ColumnTest, HasUniqueNameAndDefinition) {
  std::set<std::string_view> names;
  for (const ColumnInfo& column : columns()) {
    EXPECT_EQ(&info(column.column), &column) << column.name;
    EXPECT_EQ(column_named(column.name), column.column);
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_TRUE(column.definition.ends_with('.')) << column.name;
  }
}

TEST(ColumnTest, RejectsUnknownName) { EXPECT_EQ(column_named("speed"), std::nullopt); }

}  // namespace
}  // namespace kmux::bench
