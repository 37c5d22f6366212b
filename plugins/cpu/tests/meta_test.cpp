#include "meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::cpu {
namespace {

TEST(MetaTest, RoundTripsThroughText) {
  const Meta meta{"clang", "entry", "x86_64-linux", "znver4", {"avx", "avx2"}, "LLVM 19", "fast", {"-O2"}, true};
  EXPECT_EQ(parse_meta(dump_meta(meta)).value(), meta);
}

TEST(MetaTest, ReportsInvalidField) {
  EXPECT_FALSE(parse_meta("").ok());
  EXPECT_FALSE(parse_meta("[]").ok());
  const auto meta = parse_meta(R"({"engine":"clang","entry":"e","triple":"t","cpu":"c","features":[1]})");
  ASSERT_FALSE(meta.ok());
  EXPECT_EQ(meta.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(meta.error().message, testing::HasSubstr("no valid \"features\""));
}

}  // namespace
}  // namespace kmux::cpu
