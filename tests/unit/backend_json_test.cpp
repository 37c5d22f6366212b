#include "plugin/backend_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;

TEST(BackendJsonTest, RoundTripsProbeReports) {
  const ProbeReport report{{"no_toolchain", "there is no \"nvcc\"\n"}, {}};
  EXPECT_EQ(probe_report_from_json(to_json(report)).value(), report);
  EXPECT_EQ(to_json(ProbeReport{}),
            R"({"can_build":{"code":"","reason":""},"can_run":{"code":"","reason":""}})");  // as defined in plugin.h
}

TEST(BackendJsonTest, RoundTripsMissingFeatures) {
  const std::vector<MissingFeature> missing = {{"cluster", "/variants/0", "no clusters"}, {"loop", "", ""}};
  EXPECT_EQ(missing_features_from_json(to_json(missing)).value(), missing);
  EXPECT_EQ(to_json(std::vector<MissingFeature>{}), "[]");
}

TEST(BackendJsonTest, RejectsMalformedJson) {
  for (const char* json : {"", "[]", "{}", R"({"can_build":{"code":"","reason":""}})",
                           R"({"can_build":{"code":1,"reason":""},"can_run":{"code":"","reason":""}})"}) {
    const auto report = probe_report_from_json(json);
    ASSERT_FALSE(report.ok()) << json;
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  }
  for (const char* json : {"nonsense", "{}", "[1]", R"([{"feature":"loop"}])"}) {
    EXPECT_FALSE(missing_features_from_json(json).ok()) << json;
  }
  EXPECT_THAT(missing_features_from_json("{}").error().message, HasSubstr("list of missing features"));
}

}  // namespace
}  // namespace kmux
