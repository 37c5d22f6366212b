#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/environment_variables.h"

namespace kmux {
namespace {

TEST(ByteSizeTest, ParsesUnits) {
  EXPECT_EQ(parse_byte_size("X", "123").value(), 123U);
  EXPECT_EQ(parse_byte_size("X", "2K").value(), 2048U);
  EXPECT_EQ(parse_byte_size("X", "3T").value(), std::uint64_t{3} << 40);
}

TEST(ByteSizeTest, RejectsInvalidSizes) {
  for (const char* text : {"", "K", "-1", "1KB", "1k", "1.5G", "99999999999T", " 1"}) {
    const auto size = parse_byte_size("KMUX_X", text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(size.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(size.error().message, testing::HasSubstr("KMUX_X cannot be \"" + std::string(text) + "\""));
  }
}

}  // namespace
}  // namespace kmux
