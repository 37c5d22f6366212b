// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/unique_id.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(UniqueIdTest, DiffersEachTime) {
  const std::string first = unique_id();
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(unique_id(), first);
}

}  // namespace
}  // namespace kmux
