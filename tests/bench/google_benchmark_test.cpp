#include "kmux/bench/google_benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/src/page_sections.h"

namespace kmux::bench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BenchmarkNameTest, SplitsIntoFamilyAndPoint) {
  const auto expect = [](const char* name, const std::string& family,
                         const std::map<std::string, std::int64_t>& point) {
    const BenchmarkName parts = read_benchmark_name(name);
    EXPECT_EQ(parts.family, family);
    EXPECT_EQ(parts.point, point) << name;
  };
  expect("copy", "copy", {});
  expect("copy/64/8", "copy", {{"arg0", 64}, {"arg1", 8}});
  expect("copy/n:64/8", "copy", {{"n", 64}, {"arg1", 8}});
  expect("call/cuda/-1/min_time:0.500/repeats:3/real_time/threads:4", "call/cuda", {{"arg0", -1}, {"threads", 4}});
  expect("std::sort<int>/n:8/manual_time", "std::sort<int>", {{"n", 8}});
  expect("7", "7", {});
}

/// A document with that list of benchmarks.
Json document(const std::string& benchmarks) {
  return parse_json(R"({"context": {"host_name": "secret", "executable": "/home/me/bench_copy", "num_cpus": 2},
                        "benchmarks": [)" +
                    benchmarks + "]}")
      .value();
}

std::string run_text(const std::string& name, double time, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "iterations": 10, "cpu_time": 1.5, "time_unit": "ns", "real_time": )" +
         std::to_string(time) + more + "}";
}

TEST(GoogleBenchmarkTest, RepetitionsBecomeSamples) {
  const Json json = document(run_text("copy/64", 2000) + "," + run_text("copy/64", 4000) + "," +
                             run_text("copy/64", 3000) + "," + run_text("copy/128", 5000) +
                             R"(,{"name": "copy/64_mean", "run_name": "copy/64", "run_type": "aggregate",
                                 "aggregate_name": "mean", "real_time": 9, "cpu_time": 9, "time_unit": "ns"})");
  ASSERT_TRUE(is_google_benchmark(json));
  const BenchReport report = report_from_google_benchmark(json, "before").value();
  ASSERT_EQ(report.contests.size(), 2U);
  const Contest& contest = report.contests[0];
  EXPECT_EQ(contest.program, "copy");
  EXPECT_THAT(contest.point, ElementsAre(testing::Pair("arg0", 64)));
  ASSERT_EQ(contest.entrants.size(), 1U);
  EXPECT_EQ(contest.entrants[0].backend, "before");
  const Series& times = contest.entrants[0].columns.at(Column::kHostCall);
  EXPECT_THAT(times.samples, ElementsAre(2, 4, 3)) << "microseconds";
  EXPECT_EQ(times.interval.median, 3);
  EXPECT_THAT(contest.entrants[0].remarks, ElementsAre("an iteration takes 1.50 ns of a processor's time"));
}

TEST(GoogleBenchmarkTest, CountersBecomeRatesAndRemarks) {
  const Json json = document(run_text("copy", 1000, R"(, "bytes_per_second": 2.5e9, "items_per_second": 1e6,
                                                        "launches": 3, "label": "warm")"));
  const Entrant entrant = report_from_google_benchmark(json, "x").value().contests[0].entrants[0];
  EXPECT_EQ(entrant.columns.at(Column::kBytesRate).interval.median, 2.5);
  EXPECT_EQ(entrant.columns.at(Column::kThroughput).interval.median, 1e6);
  EXPECT_THAT(entrant.remarks, Contains("counter launches is 3.0"));
  EXPECT_THAT(entrant.remarks, Contains("warm"));
  EXPECT_THAT(entrant.remarks, Contains("its items stand as calls"));
}

TEST(GoogleBenchmarkTest, ConvertsTimeUnits) {
  for (const auto& [unit, microseconds] :
       {std::pair("ns", 0.007), std::pair("us", 7.), std::pair("ms", 7e3), std::pair("s", 7e6)}) {
    const Json json = document(R"({"name": "a", "real_time": 7, "time_unit": ")" + std::string(unit) + "\"}");
    const BenchReport report = report_from_google_benchmark(json, "x").value();
    EXPECT_DOUBLE_EQ(report.contests[0].entrants[0].columns.at(Column::kHostCall).interval.median, microseconds);
  }
}

TEST(GoogleBenchmarkTest, UsesMedianWithoutRepetitions) {
  const auto aggregate = [](const std::string& name, int time) {
    return R"({"name": "a_)" + name + R"(", "run_name": "a", "run_type": "aggregate", "aggregate_name": ")" + name +
           R"(", "time_unit": "us", "real_time": )" + std::to_string(time) + "}";
  };
  const Json json =
      document(aggregate("mean", 5) + "," + aggregate("median", 4) + "," + aggregate("stddev", 1) + "," +
               R"({"name": "a_BigO", "run_name": "a", "run_type": "aggregate", "aggregate_name": "BigO"})");
  const BenchReport report = report_from_google_benchmark(json, "x").value();
  ASSERT_EQ(report.contests.size(), 1U);
  EXPECT_EQ(report.contests[0].entrants[0].columns.at(Column::kHostCall).interval, (Interval{4, 4, 4}));
  EXPECT_THAT(report.contests[0].entrants[0].remarks, Contains(HasSubstr("there is no interval")));
}

TEST(GoogleBenchmarkTest, ReportsFailedBenchmark) {
  const Json json = document(R"({"name": "a", "error_occurred": true, "error_message": "no device"})");
  const Entrant entrant = report_from_google_benchmark(json, "x").value().contests[0].entrants[0];
  EXPECT_EQ(entrant.state, EntrantState::kFailed);
  EXPECT_EQ(entrant.problem, "no device");
  EXPECT_THAT(entrant.columns, IsEmpty());
}

TEST(GoogleBenchmarkTest, ContextBecomesMachineWithoutHostName) {
  const BenchReport report = report_from_google_benchmark(document(""), "x").value();
  EXPECT_EQ(dump(report.machine), R"({"executable":"bench_copy","num_cpus":2})");
}

TEST(GoogleBenchmarkTest, RejectsInvalidDocuments) {
  const auto problem = [](const Json& json) {
    const auto read = report_from_google_benchmark(json, "x");
    if (read.ok()) return std::string();
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    return read.error().message;
  };
  EXPECT_THAT(problem(Json::Object{}),
              HasSubstr("not a result of Google Benchmark (\"context\" is not an object). Give what"));
  EXPECT_THAT(problem(parse_json(R"({"context": {}, "benchmarks": 1})").value()),
              HasSubstr("\"benchmarks\" is not a list"));
  EXPECT_THAT(problem(document(R"({"real_time": 1})")), HasSubstr("a benchmark has no \"name\""));
  EXPECT_THAT(problem(document(R"({"name": "a", "real_time": 1, "time_unit": "h"})")),
              HasSubstr("benchmark \"a\" has no \"time_unit\" of ns, us, ms or s"));
  EXPECT_THAT(problem(document(R"({"name": "a", "time_unit": "ns"})")),
              HasSubstr("benchmark \"a\" has no \"real_time\""));
  EXPECT_THAT(problem(document(R"({"name": "a", "run_type": "aggregate", "aggregate_name": "stddev"})")),
              HasSubstr("neither repetitions nor a median"));
}

}  // namespace
}  // namespace kmux::bench
