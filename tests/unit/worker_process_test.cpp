// kmux-worker itself, and programs that are not workers.
#include "isolation/worker_process.h"

#include <fstream>
#include <random>
#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/process.h"

#include "needs.h"
#include "plugin/backend_json.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kWorker = KMUX_TEST_BUILD_DIR "/libexec/kmux/kmux-worker";
const std::filesystem::path kNull = KMUX_TEST_PLUGIN_DIR "/null/kmux_null.plugin.json";
const Deadline kPatient(60s);

/// Matches the memory of a process with a plugin: more than a megabyte, less than a machine has.
testing::Matcher<const std::string&> IsMemory() {
  return testing::ResultOf([](const std::string& bytes) { return read_number(bytes).value(); },
                           AllOf(testing::Gt(1 << 20), testing::Lt(std::int64_t{1} << 40)));
}

class WorkerProcessTest : public testing::Test {
 protected:
  std::unique_ptr<WorkerProcess> start(const std::filesystem::path& program = kWorker,
                                       const std::filesystem::path& plugin = kNull) {
    return WorkerProcess::start(program, plugin).value();
  }
  std::variant<Frame, WorkerFailure> call(WorkerProcess& worker, const std::string& bytes,
                                          const Deadline& deadline = kPatient) {
    return worker.call(bytes, deadline, host_);
  }
  /// Returns the parts of the reply.
  std::vector<std::string> reply(WorkerProcess& worker, const Frame& frame) {
    return std::get<Frame>(call(worker, encode(frame).value())).parts;
  }
  /// Returns the error in a reply.
  static Error error_in(const std::vector<std::string>& parts) {
    return read_error(static_cast<kmux_code>(read_number(parts.at(0)).value()), parts.at(2));
  }

  std::vector<std::string> lines_;
  WorkerHost host_{.log = [this](std::int32_t, std::string_view line) { lines_.emplace_back(line); },
                   .stopping = [] { return false; }};
};

TEST_F(WorkerProcessTest, RepliesInAbiFormat) {
  const auto worker = start();
  EXPECT_THAT(reply(*worker, {FrameKind::kOpen}), ElementsAre("0", "", "", IsMemory()));
  EXPECT_THAT(reply(*worker, {FrameKind::kProbe, {"/"}}), ElementsAre("0", to_json(ProbeReport{}), "", IsMemory()));
  EXPECT_THAT(reply(*worker, {FrameKind::kResolveTarget, {"/", "auto", "-1"}}),
              ElementsAre("0", "null", "", IsMemory()));
  EXPECT_THAT(reply(*worker, {FrameKind::kToolchain, {"/", "null", "{}"}}), ElementsAre("0", "null 1", "", IsMemory()));
  EXPECT_TRUE(worker->is_ready());
  EXPECT_THAT(lines_, testing::Contains("null: created"));
}

TEST_F(WorkerProcessTest, RejectsMalformedFrames) {
  const auto worker = start();
  EXPECT_THAT(error_in(reply(*worker, {FrameKind::kProbe, {"/"}})).message, HasSubstr("probe with 1 parts"));
  EXPECT_THAT(error_in(reply(*worker, {FrameKind::kOpen, {"name"}})).message, HasSubstr("open with 1 parts"));
  reply(*worker, {FrameKind::kOpen});
  for (const Frame& frame : {Frame{FrameKind::kOpen}, Frame{FrameKind::kProbe}, Frame{FrameKind::kLog, {"/", "2"}},
                             Frame{FrameKind::kReply, {"/"}}, Frame{FrameKind::kToolchain, {"/", "null"}},
                             Frame{FrameKind::kResolveTarget, {"/", "auto"}}, Frame{FrameKind::kWrap, {"/", "{}"}},
                             Frame{FrameKind::kResolveTarget, {"/", "auto", "first"}}, Frame{FrameKind::kBuild, {"/"}},
                             Frame{FrameKind::kStandalone, {"/", "artifact"}},
                             Frame{FrameKind::kSupports, {"/", "{}", "x", "null", "{}"}}}) {
    const Error error = error_in(reply(*worker, frame));
    EXPECT_EQ(error.code, ErrorCode::kInternal);
    EXPECT_THAT(error.message, HasSubstr("a frame is damaged")) << to_string(frame.kind);
  }
  EXPECT_EQ(error_in(reply(*worker, {FrameKind::kWrap, {"/", "no JSON", "0", "null", "{}", "", ""}})).code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(worker->is_ready());
}

TEST_F(WorkerProcessTest, ReportsUnsupportedExport) {
  const auto worker = start();
  reply(*worker, {FrameKind::kOpen});
  const Error error =
      error_in(reply(*worker, {FrameKind::kStandalone, {"/", "{}", "0", "null", "{}", "", "artifact"}}));
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("backend \"null\" cannot export"));
}

TEST_F(WorkerProcessTest, RejectsNoiseAndExits) {
  const auto worker = start();
  const auto answer = call(*worker, "bytes that begin no frame at all");
  EXPECT_THAT(error_in(std::get<Frame>(answer).parts).message, HasSubstr("does not begin as one"));
  const auto after = call(*worker, encode({FrameKind::kOpen}).value());
  EXPECT_THAT(std::get<WorkerFailure>(after).why, HasSubstr("ended with code 1"));
}

TEST_F(WorkerProcessTest, SurvivesDamagedFrames) {
  std::mt19937 random(1);
  const std::string open = encode({FrameKind::kOpen}).value();
  const std::string sound =
      encode({FrameKind::kBuild, {"/", "launcher", R"({"name": "p"})", "0", "null", "{}", "blob"}}).value();
  for (int round = 0; round < 30; ++round) {
    std::string damaged = sound;
    for (int flips = 0; flips < 3; ++flips) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto worker = start();
    const auto answer = call(*worker, open + damaged + sound + sound);
    ASSERT_TRUE(std::holds_alternative<Frame>(answer));
    const auto next = call(*worker, "", Deadline(200ms));  // any result is valid except a signal
    const auto* failure = std::get_if<WorkerFailure>(&next);
    const std::string why = failure == nullptr ? "" : failure->why;
    EXPECT_THAT(why, testing::Not(HasSubstr("signal"))) << round;
  }
}

TEST_F(WorkerProcessTest, IsNotReadyAfterExit) {
  const auto worker = start(), other = start();
  EXPECT_TRUE(worker->is_ready());
  call(*worker, std::string(1000, 'x'));  // it returns an error and exits
  call(*worker, std::string(1000, 'x'));
  EXPECT_FALSE(worker->is_ready());
  EXPECT_TRUE(other->is_ready());
}

TEST_F(WorkerProcessTest, ReportsProgramThatCannotStart) {
  if (!tells_spawn_errors()) GTEST_SKIP() << needs_spawn_errors();
  const auto started = WorkerProcess::start("/nowhere/kmux-worker", kNull);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(started.error().message, AllOf(HasSubstr("/nowhere/kmux-worker"), HasSubstr("No such file")));
}

TEST_F(WorkerProcessTest, ReportsNonWorkerProgram) {
  const auto worker = start("/bin/true");
  const auto failure = std::get<WorkerFailure>(call(*worker, encode({FrameKind::kOpen}).value()));
  EXPECT_EQ(failure.kind, WorkerFailure::Kind::kEnded);
  EXPECT_THAT(failure.why, HasSubstr("ended with code 0"));
}

TEST_F(WorkerProcessTest, ReportsMissingManifest) {
  const auto worker = start(kWorker, "/nowhere/x.plugin.json");
  EXPECT_THAT(error_in(reply(*worker, {FrameKind::kOpen})).message, HasSubstr("/nowhere/x.plugin.json"));
}

TEST_F(WorkerProcessTest, StopsWaitingWhenApplicationStops) {
  const auto worker = start("/bin/sleep", "1000");
  host_.stopping = [] { return true; };
  const auto failure = std::get<WorkerFailure>(call(*worker, "x", Deadline()));
  EXPECT_EQ(failure.why, "no caller waits for its answer");
}

/// Returns the state of a process: the letter of /proc/PID/stat, or 0.
char state_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string stat;
  std::getline(file, stat, '\0');
  const auto end = stat.rfind(") ");
  return end == std::string::npos ? '\0' : stat.at(end + 2);
}

TEST_F(WorkerProcessTest, KillsDescendantsOnTimeout) {
  std::string script = (std::filesystem::temp_directory_path() / "kmux-script-XXXXXX").string();
  close(mkstemp(script.data()));
  std::ofstream(script) << "set -m; sleep 1000 & echo $!; wait\n";  // -m: a separate process group
  const auto worker = start("/bin/sh", script);
  const auto failure = std::get<WorkerFailure>(call(*worker, "x", Deadline(1500ms)));
  EXPECT_EQ(failure.kind, WorkerFailure::Kind::kTimeUp);
  const std::string sleeper = failure.output.substr(0, failure.output.find('\n'));
  ASSERT_FALSE(sleeper.empty());
  EXPECT_THAT(state_of(sleeper), testing::AnyOf('\0', 'Z', 'X'));  // ended, or left to init
  std::filesystem::remove(script);
}

TEST_F(WorkerProcessTest, PrintsUsageWhenRunDirectly) {
  const ProcessResult result = run({.argv = {kWorker.string()}}).value();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error, HasSubstr("usage: kmux-worker"));
  EXPECT_EQ(run({.argv = {kWorker.string(), kNull.string()}}).value().exit_code, 2);
}

}  // namespace
}  // namespace kmux
