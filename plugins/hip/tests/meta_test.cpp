#include "meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::hip {
namespace {

using testing::HasSubstr;

TEST(HipMetaTest, RoundTripsUnchanged) {
  const Meta meta{"gfx90a", "hiprtc of HIP 5.2", {{"k", {"_Z1kPf", 1024, 256, 64}}}, {"-O3"}};
  EXPECT_EQ(parse_meta(dump_meta(meta)).value(), meta);
  const Meta replayed{"gfx90a", "", {}, {}, true};
  EXPECT_EQ(parse_meta(dump_meta(replayed)).value(), replayed);
}

TEST(HipMetaTest, RejectsInvalidText) {
  for (const char* line : {"", "k", "k 1 2", "k 1 2 x", "k 1 2 3 4", " 1 2 3"}) {
    Meta meta{"gfx90a", "", {{"k", {"PLACE", 1, 2, 3}}}, {}};
    std::string text = dump_meta(meta);
    text.replace(text.find("PLACE 1 2 3"), 11, line);
    const auto parsed = parse_meta(text);
    ASSERT_FALSE(parsed.ok()) << line;
    EXPECT_THAT(parsed.error().message, HasSubstr("kernels")) << line;
  }
  EXPECT_EQ(parse_meta("{}").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::hip
