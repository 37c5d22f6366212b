// kmux::bench over real backends: the cpu plugin with both engines, and null plugins, which compute nothing.
#include "kmux/bench/bench.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux::bench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr const char* kDoubling = R"(void doubling(const float* x, float* y, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = 2 * x[i];
})";

// Writes no output with SILENT; with DIRTY, also overwrites x.
constexpr const char* kFlawedDoubling = R"(void doubling(float* x, float* y, long long n) {
#ifndef SILENT
  for (long long i = 0; i < n; ++i) y[i] = 2 * x[i];
#endif
#ifdef DIRTY
  for (long long i = 0; i < n; ++i) x[i] = 1;
#endif
})";

// Each call reads the output of the previous one.
constexpr const char* kHalvingSum = R"(void doubling(const float* x, float* y, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = 0.5f * y[i] + x[i];
})";

/// Returns y[i] = 2 * x[i], or the kernel in `text`.
Program doubling(const char* text = kDoubling) {
  ProgramBuilder program("doubling");
  const Expr n = program.symbol("n");
  program.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n}).variant("c");
  program.source("doubling.c", text);
  program.launch("doubling").args({"x", "y"}).arg(n, dtype::kInt64);
  Metadata metadata;
  metadata.symbols = {{"n", 1000}};
  metadata.flops = n;
  metadata.bytes = n * 8;
  program.metadata(std::move(metadata));
  return program.build().value();
}

class BenchTest : public testing::Test {
 protected:
  Result<BenchReport> run(const BenchOptions& options, const Program& program = doubling()) {
    return bench(*runtime_, {&program, 1}, options);
  }
  static BenchOptions quick(std::vector<std::string> backends) {
    BenchOptions options{.backends = std::move(backends), .repetitions = 1};
    options.stop.time = std::chrono::milliseconds(20);
    options.stop.warm_up = 0;
    options.compile.target = "c";
    return options;
  }
  Shared<Runtime> runtime_ =
      Runtime::create({.disable_cache = true}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}}).value();
};

/// Returns true if the memory of other processes can be measured; POSIX alone does not report it.
constexpr bool shows_processes() {
#ifdef KMUX_TEST_PORTABLE
  return false;
#else
  return true;
#endif
}

TEST_F(BenchTest, MeasuresEveryColumnOfEveryBackend) {
  const BenchReport report = run(quick({"cpu", "cpu:engine=host"})).value();
  ASSERT_EQ(report.contests.size(), 1U);
  const Contest& contest = report.contests.front();
  EXPECT_EQ(contest.baseline, "cpu");
  EXPECT_EQ(contest.reference, "cpu");
  EXPECT_EQ(contest.flops, 1000);
  // All columns except the resources of compiled code, which compilers for processors do not report.
  const auto is_measured = [](const ColumnInfo& info) { return info.column < Column::kRegisters; };
  const auto measured =
      static_cast<std::size_t>(std::ranges::count_if(columns(), is_measured)) - (shows_processes() ? 0 : 1);
  for (const Entrant& entrant : contest.entrants) {
    EXPECT_EQ(entrant.state, EntrantState::kTimed) << entrant.problem;
    EXPECT_EQ(entrant.columns.size(), measured) << entrant.backend;
    EXPECT_THAT(entrant.source, HasSubstr("doubling"));
    EXPECT_FALSE(entrant.launcher.empty());
  }
  EXPECT_THAT(contest.entrants[1].verdicts, UnorderedElementsAre(Key(Column::kDeviceHot), Key(Column::kDeviceCold),
                                                                 Key(Column::kHostCall), Key(Column::kEndToEnd)));
  EXPECT_TRUE(contest.entrants[0].verdicts.empty()) << "the baseline";
  EXPECT_THAT(contest.entrants[0].remarks, Contains("no clock of its own: device times are the host's"));
  EXPECT_EQ(contest.entrants[0].remarks.size(), shows_processes() ? 1U : 2U) << "the memory of the build";
}

TEST_F(BenchTest, ReportsResolutionAndToolchains) {
  const BenchReport report = run(quick({"cpu", "cpu:engine=host"})).value();
  EXPECT_THAT(report.contests.front().resolution,
              Contains(AllOf(Field(&ResolutionRow::backend, "cpu"), Field(&ResolutionRow::verdict, "possible"))));
  const Json* const toolchains = report.machine.find("toolchains");
  ASSERT_NE(toolchains, nullptr);
  for (const char* name : {"cpu", "cpu:engine=host"}) {
    ASSERT_NE(toolchains->find(name), nullptr) << name;
    EXPECT_NE(*toolchains->find("cpu"), Json()) << name;
  }
  EXPECT_THAT(dump(*toolchains), Not(HasSubstr("/"))) << "folders of a machine are its own business";
}

/// Returns two programs; the second has no valid baseline if SILENT is defined.
std::vector<Program> right_and_flawed() {
  std::vector<Program> programs = {doubling(), doubling(kFlawedDoubling)};
  programs[1].name = "flawed";
  return programs;
}

TEST_F(BenchTest, KeepsResultsMeasuredBeforeFailure) {
  BenchOptions options = quick({"cpu", "cpu:compile_flags=-DSILENT"});
  options.baseline = "cpu:compile_flags=-DSILENT";
  options.reference = "cpu";
  std::vector<BenchReport> kept;
  options.keep = [&](const BenchReport& so_far) { kept.push_back(so_far); };
  const auto report = bench(*runtime_, right_and_flawed(), options);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("does not run program \"flawed\""));
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].contests.at(0).program, "doubling");
  EXPECT_EQ(*kept[0].machine.find("unfinished"), Json("1 of 2 contests"));
  EXPECT_NE(kept[0].machine.find("toolchains"), nullptr);
}

/// Returns the measurements of a run over n = 8, 16 that is stopped after the first contest.
BenchReport stopped_after_one(Runtime& runtime, BenchOptions options) {
  const Program program = doubling();
  std::stop_source stop;
  BenchReport kept;
  options.cancel = stop.get_token();
  options.keep = [&](const BenchReport& so_far) {
    kept = so_far;
    stop.request_stop();
  };
  const auto stopped = bench(runtime, {&program, 1}, options);
  EXPECT_THAT(stopped.error().message, HasSubstr("stopped (1 of 2 contests)"));
  return report_from_json(to_json(kept)).value();
}

TEST_F(BenchTest, ResumesEarlierRun) {
  BenchOptions options = quick({"cpu"});
  options.axes = {{"n", {8, 16}}};
  options.earlier = stopped_after_one(*runtime_, options);
  ASSERT_EQ(options.earlier.contests.size(), 1U);
  int measured = 0;
  options.keep = [&](const BenchReport&) { ++measured; };
  const BenchReport report = run(options).value();
  EXPECT_EQ(measured, 1);
  ASSERT_EQ(report.contests.size(), 2U);
  EXPECT_EQ(report.contests[0], options.earlier.contests[0]);
  EXPECT_EQ(report.contests[1].point.at("n"), 16);
  EXPECT_EQ(report.machine.find("unfinished"), nullptr);
}

TEST_F(BenchTest, RemeasuresChangedProgram) {
  BenchOptions options = quick({"cpu"});
  options.axes = {{"n", {8, 16}}};
  options.earlier = stopped_after_one(*runtime_, options);
  int measured = 0;
  options.keep = [&](const BenchReport&) { ++measured; };
  options.axes = {{"n", {8}}};
  ASSERT_EQ(run(options, doubling(kFlawedDoubling)).value().contests.size(), 1U);
  EXPECT_EQ(measured, 1) << "its source is another";
  options.axes = {{"n", {16}}};
  EXPECT_EQ(run(options).value().contests.size(), 2U) << "nothing that was measured is lost";
  EXPECT_EQ(measured, 2);
}

TEST_F(BenchTest, MeasuresVariantsOfOneBackend) {
  Program program = doubling();
  program.variants.push_back(doubling(kFlawedDoubling).variants.front());
  program.variants.back().settings.compile_flags = {"-DSILENT"};
  const Contest contest = run(quick({"cpu#0", "cpu#1", "cpu#0:tier=fast"}), program).value().contests.front();
  EXPECT_EQ(contest.baseline, "cpu#0");
  EXPECT_EQ(contest.entrants[0].variant, 0U);
  EXPECT_EQ(contest.entrants[1].variant, 1U);
  EXPECT_EQ(contest.entrants[1].state, EntrantState::kWrong) << "it is the other variant";
  EXPECT_EQ(contest.entrants[2].tier, "fast");
  EXPECT_TRUE(contest.entrants[0].columns.contains(Column::kBuild));
}

TEST_F(BenchTest, LabelsProgramsOfOneName) {
  const Program programs[] = {doubling(), doubling(kFlawedDoubling)};
  const auto labels = [&](const BenchOptions& options) {
    std::vector<std::string> found;
    for (const Contest& contest : bench(*runtime_, programs, options).value().contests) found.push_back(contest.label);
    return found;
  };
  BenchOptions options = quick({"cpu"});
  EXPECT_THAT(labels(options), ElementsAre("1", "2"));
  options.files = {"a.c", "b.c"};
  EXPECT_THAT(labels(options), ElementsAre("a.c", "b.c"));
  options.files = {"a.c", "a.c"};
  EXPECT_THAT(labels(options), ElementsAre("1", "2"));
  EXPECT_EQ(run(options).value().contests.front().label, "");
}

TEST_F(BenchTest, ResumesProgramsOfOneName) {
  const Program programs[] = {doubling(), doubling(kFlawedDoubling)};
  BenchOptions options = quick({"cpu"});
  options.earlier = bench(*runtime_, programs, options).value();
  int measured = 0;
  options.keep = [&](const BenchReport&) { ++measured; };
  EXPECT_EQ(bench(*runtime_, programs, options).value().contests, options.earlier.contests);
  EXPECT_EQ(measured, 0);
}

TEST_F(BenchTest, RejectsResumeOnAnotherMachine) {
  BenchOptions options = quick({"cpu"});
  options.axes = {{"n", {8, 16}}};
  options.earlier = stopped_after_one(*runtime_, options);
  options.earlier.machine["cores"] = 1000;
  EXPECT_THAT(run(options).error().message, HasSubstr("\"cores\" is"));
}

TEST_F(BenchTest, ChecksRolesBeforeCompiling) {
  BenchOptions options = quick({"cpu"});
  options.baseline = "cpuu";
  int told = 0;
  const Program program = doubling();
  const auto report = bench(*runtime_, {&program, 1}, options, [&](const std::string&, double) { ++told; });
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("the baseline \"cpuu\""), HasSubstr("Did you mean 'cpu'?")));
  EXPECT_EQ(told, 0);
}

TEST_F(BenchTest, ReportsStagesInOrder) {
  std::vector<std::string> told;
  double last = 0;
  const Program program = doubling();
  ASSERT_TRUE(
      bench(*runtime_, {&program, 1}, quick({"cpu", "cpu:engine=host"}), [&](const std::string& what, double part) {
        EXPECT_GE(part, last) << what;
        EXPECT_LE(part, 1);
        last = part;
        if (told.empty() || told.back() != what) told.push_back(what);
      }));
  EXPECT_GE(last, 0.87);
  EXPECT_THAT(told, ElementsAre(HasSubstr(": compile and check"), HasSubstr(": compile on cpu"),
                                HasSubstr(": compile on cpu:engine=host"), HasSubstr(": device, hot"),
                                HasSubstr(": device, cold"), HasSubstr(": host, a call"), HasSubstr(": end to end")));
}

TEST_F(BenchTest, JudgesEveryBackendPair) {
  const Contest contest = run(quick({"cpu", "cpu:opt_level=0", "cpu:opt_level=1"})).value().contests.front();
  for (const Column column : {Column::kDeviceHot, Column::kDeviceCold, Column::kHostCall, Column::kEndToEnd}) {
    ASSERT_TRUE(contest.pairs.contains(column));
    const auto pair = [](const char* first, const char* second) {
      return AllOf(Field(&PairJudgement::first, first), Field(&PairJudgement::second, second));
    };
    EXPECT_THAT(contest.pairs.at(column), ElementsAre(pair("cpu", "cpu:opt_level=0"), pair("cpu", "cpu:opt_level=1"),
                                                      pair("cpu:opt_level=0", "cpu:opt_level=1")));
    const Judgement& first = contest.pairs.at(column).front().judgement;
    const Judgement& verdict = contest.entrants[1].verdicts.at(column);
    EXPECT_EQ(first.rounds, verdict.rounds);
    EXPECT_NEAR(first.ratio.median * verdict.ratio.median, 1, 1e-9) << "the same, the other way round";
    EXPECT_NEAR(first.ratio.low * verdict.ratio.high, 1, 1e-9);
  }
}

TEST_F(BenchTest, ThroughputIsInverseOfEndToEndTime) {
  const Contest contest = run(quick({"cpu"})).value().contests.front();
  const auto& columns = contest.entrants.front().columns;
  const Series& times = columns.at(Column::kEndToEnd);
  const Series& calls = columns.at(Column::kThroughput);
  ASSERT_EQ(calls.samples.size(), times.samples.size());
  EXPECT_NEAR(calls.samples.front() * times.samples.front(), 1e6, 1);
}

TEST_F(BenchTest, DoesNotTimeIncorrectBackend) {
  BenchOptions options = quick({"cpu", "null_a"});
  options.baseline = "cpu";
  const Contest contest = run(options).value().contests.front();
  EXPECT_EQ(contest.entrants[1].state, EntrantState::kWrong);
  EXPECT_THAT(contest.entrants[1].problem, HasSubstr("\"y\" differs"));
  EXPECT_TRUE(contest.entrants[1].columns.empty());
  EXPECT_FALSE(contest.entrants[0].columns.empty());
}

TEST_F(BenchTest, DetectsStaleOutputsAndModifiedInputs) {
  BenchOptions options = quick({"cpu", "cpu:compile_flags=-DSILENT", "cpu:compile_flags=-DDIRTY", "cpu:opt_level=0"});
  const Contest contest = run(options, doubling(kFlawedDoubling)).value().contests.front();
  EXPECT_EQ(contest.entrants[0].state, EntrantState::kTimed);
  EXPECT_EQ(contest.entrants[1].state, EntrantState::kWrong) << "the right results are in its memory before the call";
  EXPECT_THAT(contest.entrants[1].problem, HasSubstr("\"y\" differs"));
  EXPECT_EQ(contest.entrants[2].state, EntrantState::kWrong);
  EXPECT_THAT(contest.entrants[2].problem, HasSubstr("\"x\" differs"));
  EXPECT_EQ(contest.entrants[3].state, EntrantState::kTimed) << contest.entrants[3].problem;
}

TEST_F(BenchTest, RefillsMemoryWhenCallsReadTheirOutput) {
  const auto remark = Contains(HasSubstr("a call changes what the next one reads: before each sample of "));
  const Contest contest = run(quick({"cpu", "cpu:opt_level=0"}), doubling(kHalvingSum)).value().contests.front();
  for (const Entrant& entrant : contest.entrants) {
    EXPECT_EQ(entrant.state, EntrantState::kTimed) << entrant.problem;
    EXPECT_THAT(entrant.remarks, remark);
  }
  EXPECT_THAT(run(quick({"cpu"})).value().contests.front().entrants.front().remarks, Not(remark));
}

TEST_F(BenchTest, ReportsDriftOfNonHostDevice) {
  EXPECT_THAT(run(quick({"cpu"})).value().contests.front().device_drift, IsEmpty()) << "the host";
  BenchOptions options = quick({"null_a", "null_c"});
  options.compile.target = "cpu";
  const Contest contest = run(options).value().contests.front();
  ASSERT_EQ(contest.entrants[1].state, EntrantState::kTimed) << contest.entrants[1].problem;
  EXPECT_THAT(contest.device_drift, ElementsAre(Key("null_a:0"))) << "both are on it";
}

/// A compiler that first allocates 200 MiB.
class LargeCompiler {
 public:
  LargeCompiler() {
    folder_.write("c++",
                  "#!/bin/sh\ndd if=/dev/zero of=/dev/null bs=200M count=4 2>/dev/null\nexec /usr/bin/c++ \"$@\"\n");
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  std::filesystem::path path() const { return folder_.path() / "c++"; }

 private:
  TempFolder folder_;
};

TEST_F(BenchTest, PeakMemoryIncludesCompilers) {
  if (!shows_processes()) GTEST_SKIP() << needs("the memory of other processes", "this build has what POSIX has alone");
  const LargeCompiler compiler;
  const std::string large = "cpu:engine=host;host_compiler=" + compiler.path().string();
  const Contest contest = run(quick({"cpu:engine=host", large})).value().contests.front();
  const auto mebibytes = [&](std::size_t i) { return contest.entrants[i].columns.at(Column::kPeakMemory).samples[0]; };
  ASSERT_EQ(contest.entrants[1].state, EntrantState::kTimed) << contest.entrants[1].problem;
  EXPECT_GT(mebibytes(0), 1);
  EXPECT_GT(mebibytes(1), 200);
  EXPECT_GT(mebibytes(1), mebibytes(0) + 50);
}

TEST_F(BenchTest, TimesCachedKernelWhenBuildIsUnavailable) {
  const TempFolder folder;
  Environment environment;
  environment.cache_dir = folder.path() / "cache";
  RegistryOptions registry{.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}};
  const auto start = [&] { runtime_ = Runtime::create(environment, registry).value(); };
  start();
  ASSERT_TRUE(run(quick({"null_a"})).ok());  // fills the cache
  registry.plugin_options = {{"null_a.build", "unavailable"}};
  start();
  const Entrant entrant = run(quick({"null_a"})).value().contests.front().entrants.front();
  EXPECT_EQ(entrant.state, EntrantState::kTimed) << entrant.problem;
  EXPECT_THAT(entrant.remarks, Contains(AllOf(HasSubstr("it comes from the cache and is not built here: "),
                                              HasSubstr("build of backend null_a fails"))));
  for (const Column column : {Column::kDeviceHot, Column::kLoad, Column::kFirstCall, Column::kArtifactSize}) {
    EXPECT_TRUE(entrant.columns.contains(column)) << info(column).name;
  }
  for (const Column column : {Column::kResolve, Column::kWrap, Column::kBuild, Column::kPeakMemory}) {
    EXPECT_FALSE(entrant.columns.contains(column)) << info(column).name;
  }
}

TEST_F(BenchTest, ReportsUnavailableBackend) {
  const Contest contest = run(quick({"cpu", "null_b"})).value().contests.front();
  EXPECT_EQ(contest.entrants[1].state, EntrantState::kUnavailable);
  EXPECT_THAT(contest.entrants[1].problem, HasSubstr("target"));
}

TEST_F(BenchTest, ReportsFailedBackend) {
  const Contest contest = run(quick({"cpu", "cpu:engine=none"})).value().contests.front();
  EXPECT_EQ(contest.entrants[1].state, EntrantState::kFailed);
  EXPECT_THAT(contest.entrants[1].problem, HasSubstr("engine"));
}

TEST_F(BenchTest, RunsOneContestPerAxisPoint) {
  BenchOptions options = quick({"cpu"});
  options.axes = {{"n", {10, 1000}}};
  const BenchReport report = run(options).value();
  EXPECT_THAT(report.contests, ElementsAre(Field(&Contest::point, std::map<std::string, std::int64_t>{{"n", 10}}),
                                           Field(&Contest::point, std::map<std::string, std::int64_t>{{"n", 1000}})));
}

TEST_F(BenchTest, RejectsBaselineThatDoesNotRun) {
  BenchOptions options = quick({"cpu", "null_b"});
  options.baseline = "null_b";
  EXPECT_THAT(run(options).error().message, HasSubstr("the baseline \"null_b\" does not run"));
  options.baseline = "null_a";
  options.backends = {"cpu", "null_a"};
  EXPECT_THAT(run(options).error().message, HasSubstr("the baseline \"null_a\" does not run")) << "it is wrong";
}

TEST_F(BenchTest, RejectsUnknownOrEmptyAxis) {
  BenchOptions options = quick({"cpu"});
  options.axes = {{"m", {1}}};
  EXPECT_THAT(run(options).error().message,
              HasSubstr("program \"doubling\": the program has no symbol or scalar \"m\""));
  options.axes = {{"n", {}}};
  EXPECT_THAT(run(options).error().message, HasSubstr("axis \"n\" has no value"));
}

TEST_F(BenchTest, ReportsMonotonicProgress) {
  std::vector<double> parts;
  const Program program = doubling();
  ASSERT_TRUE(bench(*runtime_, {&program, 1}, quick({"cpu"}), [&](const std::string& what, double part) {
                EXPECT_THAT(what, HasSubstr("doubling"));
                parts.push_back(part);
              }).ok());
  EXPECT_TRUE(std::ranges::is_sorted(parts));
  EXPECT_GT(parts.size(), 2U);
}

}  // namespace
}  // namespace kmux::bench
