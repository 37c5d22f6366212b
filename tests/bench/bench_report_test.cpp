#include "kmux/bench/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/reports.h"

namespace kmux::bench {
namespace {

using ::testing::HasSubstr;

TEST(BenchReportTest, RoundTripsThroughJson) {
  const BenchReport report = report_example();
  const auto read = report_from_json(parse_json(dump(to_json(report))).value());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, report);
}

std::string problem_of(const Json& json) {
  const auto read = report_from_json(json);
  return read.ok() ? "" : read.error().message;
}

TEST(BenchReportTest, RejectsInvalidDocuments) {
  EXPECT_THAT(problem_of(Json::Object{}), HasSubstr("not a report of kmux bench (\"kmux_bench\" is missing)"));
  Json newer = to_json(report_example());
  newer["kmux_bench"] = 2;
  EXPECT_THAT(problem_of(newer), HasSubstr("of another version"));
  Json broken = to_json(report_example());
  broken["contests"] = "none";
  EXPECT_THAT(problem_of(broken), HasSubstr("\"contests\" is of another kind"));
}

TEST(BenchReportTest, SerializesPairs) {
  const Json json = to_json(report_example());
  const Json& pairs = *json.find("contests")->as_array()->front().find("pairs");
  const Json& pair = pairs.find("device_hot")->as_array()->front();
  EXPECT_EQ(*pair.find("first")->as_string(), "slow");
  EXPECT_EQ(*pair.find("second")->as_string(), "quick");
  EXPECT_EQ(*pair.find("verdict")->as_string(), "slower");
  EXPECT_EQ(pair.find("low")->as_number(), 1.92);
}

TEST(BenchReportTest, RejectsInvalidPairs) {
  for (const auto& [pairs, message] :
       {std::pair(Json(1), "\"pairs\" is of another kind"),
        std::pair(Json(Json::Object{{"speed", Json::Array{}}}), "there is no column \"speed\""),
        std::pair(Json(Json::Object{{"device_hot", 1}}), "\"device_hot\" is of another kind"),
        std::pair(Json(Json::Object{{"device_hot", Json::Array{Json::Object{}}}}), "\"first\" is missing")}) {
    Json json = to_json(report_example());
    json["contests"].as_array()->front()["pairs"] = pairs;
    EXPECT_THAT(problem_of(json), HasSubstr(message));
  }
}

TEST(BenchReportTest, RejectsUnknownStatesAndColumns) {
  for (const auto& [key, message] :
       {std::pair("state", "\"state\" is of another kind"), std::pair("columns", "there is no column \"speed\"")}) {
    Json json = to_json(report_example());
    Json& entrant = json["contests"].as_array()->front()["entrants"].as_array()->front();
    entrant[key] = std::string(key) == "columns" ? Json(Json::Object{{"speed", 1}}) : Json("great");
    EXPECT_THAT(problem_of(json), HasSubstr(message));
  }
}

}  // namespace
}  // namespace kmux::bench
