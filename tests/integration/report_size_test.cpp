// The page of a report of many programs on NVIDIA's backends, with their real launchers. It needs no device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/report_file.h"
#include "kmux/compile.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "bench/page_texts.h"
#include "bench/reports.h"

namespace kmux::bench {
namespace {

using ::testing::IsSupersetOf;

constexpr const char* kPrograms[] = {"add_anywhere", "add_tiles",       "affine_tiles", "column_sums",
                                     "conv2d",       "flash_attention", "gemm_f16",     "look_up"};

/// Returns an entrant with the launcher that `backend` prints for the program; without it if the backend cannot wrap
/// the program.
Entrant entrant_on(Runtime& runtime, const Program& program, const std::string& backend) {
  CompileOptions options;
  options.target = "cuda -arch=sm_90a";
  options.execution_backend = backend;
  const Result<WrapResult> wrapped = wrap(runtime, program, options);
  EXPECT_TRUE(wrapped.ok()) << wrapped.error().message;
  Entrant entrant = contest_at(1024).entrants.front();
  entrant.backend = backend;
  if (!wrapped.ok()) return entrant;
  entrant.launcher = wrapped->launcher;
  entrant.source.clear();
  for (const File& file : program.variants[wrapped->variant].sources) entrant.source += file.content;
  return entrant;
}

BenchReport large_report() {
  const auto runtime = Runtime::default_runtime().value();
  BenchReport report = report_example();
  report.contests.clear();
  for (const char* name : kPrograms) {
    const std::string path = std::string(KMUX_TEST_DATA_DIR) + "/tilelang/" + name + "/" + name + ".kmux.json";
    const Program program = load_program(path).value();
    Contest contest = contest_at(1024);
    contest.program = name;
    contest.entrants.clear();
    for (const char* backend : {"nvrtc", "cuda", "cutedsl"}) {
      contest.entrants.push_back(entrant_on(*runtime, program, backend));
    }
    report.contests.push_back(contest);
  }
  return report;
}

TEST(ReportSizeTest, StaysSmallForEightProgramsAndThreeBackends) {
  const BenchReport report = large_report();
  std::size_t all = 0;
  std::vector<std::string> texts;
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      texts.insert(texts.end(), {entrant.launcher, entrant.source});
      all += entrant.launcher.size();
    }
  }
  const std::string page = html_of(report);
  EXPECT_GT(all, 2500U * 1024) << "the launchers alone";
  RecordProperty("page_kib", static_cast<int>(page.size() / 1024));
  EXPECT_LE(page.size(), 500U * 1024);
  EXPECT_THAT(texts_on(page), IsSupersetOf(texts)) << "and none is lost";
}

}  // namespace
}  // namespace kmux::bench
