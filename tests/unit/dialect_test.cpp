#include <algorithm>

#include <gmock/gmock.h>

#include "kmux/plugin/features.h"

namespace kmux {
namespace {

TEST(DialectTest, IsFoundByName) {
  ASSERT_NE(find_dialect("cuda"), nullptr);
  EXPECT_FALSE(find_dialect("cuda")->is_host);
  EXPECT_TRUE(find_dialect("c")->is_host);
  EXPECT_TRUE(find_dialect("cubin")->is_binary);
  EXPECT_EQ(find_dialect("fortran"), nullptr);
}

TEST(DialectTest, IsListedSortedByName) {
  EXPECT_EQ(all_dialects().size(), 10U);
  EXPECT_TRUE(std::ranges::is_sorted(all_dialects(), {}, &Dialect::name));
}

}  // namespace
}  // namespace kmux
