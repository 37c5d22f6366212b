#include "kmux/bench/report_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "bench/reports.h"
#include "temp_folder.h"

namespace kmux::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kBenchmarks = R"({"context": {"num_cpus": 4}, "benchmarks": [
  {"name": "call/8", "real_time": 20, "time_unit": "ns"}, {"name": "call/64", "real_time": 30, "time_unit": "ns"}]})";

class ReportFileTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file(folder_.path() / name, text).ok());
    return folder_.path() / name;
  }
  std::string problem_of(const std::string& name, const std::string& text) const {
    const auto read = load_report(write(name, text));
    return read.ok() ? "" : read.error().message;
  }
  TempFolder folder_;
};

TEST_F(ReportFileTest, LoadsKmuxAndGoogleBenchmarkReports) {
  EXPECT_EQ(load_report(write("run.json", dump(to_json(report_example()))))->report, report_example());
  const NamedReport google = load_report(write("launch.json", kBenchmarks)).value();
  EXPECT_EQ(google.report.contests.at(0).program, "call");
  EXPECT_EQ(google.report.contests.at(0).entrants.at(0).backend, (folder_.path() / "launch").string());
}

TEST_F(ReportFileTest, ErrorsNameUnreadableFile) {
  EXPECT_THAT(load_report(folder_.path() / "none.json").error().message, HasSubstr("none.json"));
  EXPECT_THAT(problem_of("a.json", "{"), AllOf(HasSubstr("a.json\": "), HasSubstr("line 1")));
  EXPECT_THAT(problem_of("b.json", "{}"), AllOf(HasSubstr("b.json\": "), HasSubstr("not a report of kmux bench")));
  EXPECT_THAT(problem_of("c.json", R"({"context": {}, "benchmarks": 1})"),
              AllOf(HasSubstr("c.json\": "), HasSubstr("not a result of Google Benchmark")));
}

TEST_F(ReportFileTest, JoiningOneReportChangesNothing) {
  EXPECT_EQ(join_reports({{"run.json", report_example()}}), report_example());
  EXPECT_EQ(join_reports({}), BenchReport{});
}

TEST_F(ReportFileTest, JoinedReportsKeepOrigins) {
  BenchReport now = report_example();
  now.machine["cores"] = 64;
  const BenchReport all = join_reports({{"", now}, {"run.json", report_example()}});
  ASSERT_EQ(all.contests.size(), 4U);
  EXPECT_EQ(all.contests[0].origin, "");
  EXPECT_EQ(all.contests[2].origin, "run.json");
  EXPECT_EQ(*all.machine.find("here")->find("cores")->as_integer(), 64);
  EXPECT_EQ(*all.machine.find("run.json")->find("cores")->as_integer(), 2);
}

TEST_F(ReportFileTest, EqualMachinesAreMerged) {
  EXPECT_EQ(join_reports({{"a", report_example()}, {"b", report_example()}}).machine, report_example().machine);
}

TEST_F(ReportFileTest, SameNamedBenchmarksFormOneContest) {
  const BenchReport before = load_report(write("before.json", kBenchmarks))->report;
  const BenchReport after = load_report(write("after.json", kBenchmarks))->report;
  const BenchReport all = join_reports({{"before.json", before}, {"after.json", after}});
  ASSERT_EQ(all.contests.size(), 2U) << "at 8 and at 64";
  EXPECT_EQ(all.contests[0].entrants.size(), 2U);
  EXPECT_EQ(all.contests[0].origin, "") << "its entrants say it";
}

}  // namespace
}  // namespace kmux::bench
