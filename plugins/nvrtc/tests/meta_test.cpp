#include "meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::nvrtc {
namespace {

using testing::HasSubstr;

const Meta kMeta{"sm_90a", "cubin", "NVRTC 13.0", true, {{"k<float>", "_Z1kIfEvv"}}, {"-lineinfo", "-DA=\"b\""}, 50};

TEST(MetaTest, RoundTripsThroughText) { EXPECT_EQ(parse_meta(dump_meta(kMeta)).value(), kMeta); }

TEST(MetaTest, RejectsInvalidText) {
  EXPECT_EQ(parse_meta("no json").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(parse_meta("[]").error().code, ErrorCode::kInvalidArgument);
}

TEST(MetaTest, ReportsMissingAndMistypedFields) {
  const std::string whole = dump_meta(kMeta);
  for (const char* key : {"arch", "form", "compiler", "graph", "symbols", "arguments", "shared_carveout"}) {
    std::string without = whole;
    without.replace(without.find("\"" + std::string(key) + "\""), std::string(key).size() + 2, "\"other\"");
    EXPECT_THAT(parse_meta(without).error().message, HasSubstr("no valid \"" + std::string(key) + "\"")) << key;
  }
  EXPECT_THAT(parse_meta(R"({"arch":"sm_90a","form":"cubin","compiler":"","graph":1,"symbols":{},"arguments":[]})")
                  .error()
                  .message,
              HasSubstr("no valid \"graph\""));
  EXPECT_THAT(parse_meta(R"({"arch":"","form":"","compiler":"","graph":true,"symbols":{"k":1},"arguments":[]})")
                  .error()
                  .message,
              HasSubstr("no valid \"symbols\""));
  EXPECT_THAT(
      parse_meta(R"({"arch":"","form":"","compiler":"","graph":true,"symbols":{},"arguments":[1]})").error().message,
      HasSubstr("no valid \"arguments\""));
}

}  // namespace
}  // namespace kmux::nvrtc
