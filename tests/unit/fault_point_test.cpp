#include <gtest/gtest.h>

#include "cache/disk/file_descriptor.h"

namespace kmux {
namespace {

TEST(FaultPointTest, ReturnsZeroWithoutHandler) {
  EXPECT_EQ(fault_point("a"), 0);
  set_fault_handler([](std::string_view step) { return step == "a" ? 28 : 0; });
  EXPECT_EQ(fault_point("a"), 28);
  EXPECT_EQ(fault_point("b"), 0);
  set_fault_handler(nullptr);
  EXPECT_EQ(fault_point("a"), 0);
}

}  // namespace
}  // namespace kmux
