#include <set>

#include <gtest/gtest.h>

#include "kmux/bench/figure.h"

namespace kmux::bench {
namespace {

TEST(Column, HasAPlaceANameAndADefinition) {
  std::set<std::string_view> names;
  for (const ColumnInfo& column : columns()) {
    EXPECT_EQ(&info(column.column), &column) << column.name;
    EXPECT_EQ(column_named(column.name), column.column);
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_TRUE(column.definition.ends_with('.')) << column.name;
  }
}

TEST(Column, IsNotFoundUnderAnotherName) { EXPECT_EQ(column_named("speed"), std::nullopt); }

}  // namespace
}  // namespace kmux::bench
