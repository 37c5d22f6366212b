#include "meta.h"

#include <gmock/gmock.h>

namespace kmux::metal {
namespace {

TEST(MetalMetaTest, RoundTripsThroughText) {
  const Meta meta{true, {true, 0x30001, {"a:int=1"}}};
  EXPECT_EQ(parse_meta(dump_meta(meta)).value(), meta);
  EXPECT_EQ(parse_meta(dump_meta({})).value(), Meta{});
}

TEST(MetalMetaTest, RejectsInvalidText) {
  EXPECT_EQ(parse_meta("{}").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(parse_meta("not json").error().code, ErrorCode::kInvalidArgument);
  const std::string odd =
      R"({"is_library":false,"fast_math":false,"function_constants":[],"language_version":"three"})";
  EXPECT_THAT(parse_meta(odd).error().message, testing::HasSubstr("language_version"));
}

}  // namespace
}  // namespace kmux::metal
