// kmux tune and kmux resolve --explain as a user runs them.

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using testing::ContainsRegex;

const char* const kTunedScale = "scale/scale.kmux.json";

class CliTuneTest : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--target", "c"});
    return session_.run(words, {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}});
  }
  CliSession session_;
};

TEST_F(CliTuneTest, MeasuresExampleShapesOnce) {
  const ProcessResult tuned = run({"tune", kTunedScale});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.standard_error;
  EXPECT_THAT(tuned.standard_output, AllOf(HasSubstr("cpu variant 0 for c"), HasSubstr("measured on"),
                                           ContainsRegex("[0-9] [nmu]?s [(][0-9.]+ [nmu]?s to ")));
  EXPECT_THAT(run({"tune", kTunedScale}).standard_output, HasSubstr("measured earlier on"));
  EXPECT_THAT(run({"tune", kTunedScale, "--again"}).standard_output, Not(HasSubstr("measured earlier")));
}

// The same kernel, slow for a processor, and for a GPU.
constexpr const char* kTwoVariants = R"({
  "format": "kmux-program", "version": 1, "name": "two",
  "signature": {"params": [{"name": "x", "buffer": {"dtype": "float32", "shape": [4096]}},
                           {"name": "y", "buffer": {"dtype": "float32", "shape": [4096]}}], "outputs": ["y"]},
  "variants": [
    {"dialect": "cuda", "requires": {"arch": ["sm_90a"]}, "sources": [{"path": "two.cu"}], "body": {"steps": [
      {"launch": {"kernel": "two", "grid": [64], "block": [64], "args": [{"tensor": "x"}, {"tensor": "y"}]}}]}},
    {"dialect": "c", "sources": [{"path": "two.c"}], "body": {"steps": [
      {"launch": {"kernel": "two", "args": [{"tensor": "x"}, {"tensor": "y"}]}}]}}]
})";

/// Writes a program whose variant 0 is faster on a processor, although variant 1 comes first.
void write_two(const CliSession& session) {
  session.write("two.cu",
                "__global__ void two(const float* x, float* y) {\n"
                "  const int i = blockIdx.x * 64 + threadIdx.x;\n  y[i] = 2 * x[i];\n}\n");
  session.write("two.c",
                "void two(const float* x, float* y) {\n  for (int i = 0; i < 4096; ++i) {\n"
                "    for (volatile int wait = 0; wait < 20; ++wait);\n    y[i] = 2 * x[i];\n  }\n}\n");
  session.write("two.kmux.json", kTwoVariants);
}

TEST_F(CliTuneTest, FindsFasterVariantOfBackend) {
  write_two(session_);
  EXPECT_THAT(run({"run", "two.kmux.json"}).standard_output, HasSubstr(", variant 1 of 0 to 1\n"));
  EXPECT_THAT(run({"resolve", "two.kmux.json"}).standard_output, HasSubstr("its dialect is for this kind of device"));
  const ProcessResult tuned = run({"tune", "two.kmux.json", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.standard_error;
  const Json report = parse_json(tuned.standard_output).value();
  EXPECT_EQ(*report.find("winner")->as_integer(), 1) << tuned.standard_output;
  EXPECT_TRUE(*report.find("sure")->as_bool()) << tuned.standard_output;
  EXPECT_THAT(run({"resolve", "two.kmux.json", "--policy", "measured"}).standard_output,
              HasSubstr("measured; surely faster"));
}

TEST_F(CliTuneTest, ReportsReplacedLockFileWinner) {
  write_two(session_);
  const ProcessResult first = run({"tune", "two.kmux.json", "--lock", "lock"});
  ASSERT_EQ(first.exit_code, 0) << first.standard_output;
  EXPECT_THAT(first.standard_output, AllOf(HasSubstr("pinned in lock\n"), Not(HasSubstr("in place of"))));
  EXPECT_THAT(run({"tune", "two.kmux.json", "--lock", "lock"}).standard_output, Not(HasSubstr("in place of")));
  std::string text = read_file(session_.folder() / "lock").value();
  text.replace(text.find("\"variant\": 0"), 12, "\"variant\": 1");
  session_.write("lock", text);
  const ProcessResult again = run({"tune", "two.kmux.json", "--lock", "lock"});
  EXPECT_THAT(again.standard_output, HasSubstr("pinned in lock in place of cpu variant 1 (a lock file has one winner"));
  session_.write("lock", text);
  const Json report = parse_json(run({"tune", "two.kmux.json", "--lock", "lock", "--json"}).standard_output).value();
  EXPECT_EQ(*report.find("replaced")->find("variant")->as_integer(), 1);
}

TEST_F(CliTuneTest, BenchMeasuresVariantChosenByPolicy) {
  write_two(session_);
  ASSERT_EQ(run({"tune", "two.kmux.json", "--lock", "lock"}).exit_code, 0);
  const auto variant = [&](const std::vector<std::string>& more) -> std::int64_t {
    std::vector<std::string> words = {"bench", "two.kmux.json", "--backends", "cpu",    "--time",
                                      "0.02",  "--repetitions", "1",          "--json", "r.json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult bench = run(words);
    EXPECT_EQ(bench.exit_code, 0) << bench.standard_error << bench.standard_output;
    const Json report = parse_json(read_file(session_.folder() / "r.json").value()).value();
    const Json& entrant = (*(*report.find("contests")->as_array())[0].find("entrants")->as_array())[0];
    EXPECT_EQ(*entrant.find("state")->as_string(), "timed") << dump(entrant);
    const bool is_of_c = entrant.find("source")->as_string()->find("volatile int wait") != std::string::npos;
    EXPECT_EQ(is_of_c, *entrant.find("variant")->as_integer() == 1);
    return *entrant.find("variant")->as_integer();
  };
  EXPECT_EQ(variant({}), 1);
  EXPECT_EQ(variant({"--policy", "pinned", "--lock-file", "lock"}), 0);
  EXPECT_EQ(variant({"--policy", "measured"}), 0);
  EXPECT_EQ(variant({"--policy", "priority"}), 1);
  const ProcessResult none =
      run({"bench", "two.kmux.json", "--backends", "cpu", "--policy", "pinned", "--lock-file", "none.lock"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.standard_error, HasSubstr("none.lock"));
}

TEST_F(CliTuneTest, RejectsUnusedLockFile) {
  for (const char* command : {"resolve", "bench", "run", "compile"}) {
    const ProcessResult result = run({command, kTunedScale, "--lock-file", "none.lock"});
    EXPECT_EQ(result.exit_code, 3) << command;
    EXPECT_THAT(result.standard_error, HasSubstr("--lock-file is not read by policy priority")) << command;
  }
  EXPECT_EQ(run({"tune", kTunedScale, "--policy", "pinned"}).exit_code, 2) << "it measures, whatever the policy";
}

TEST_F(CliTuneTest, AcceptsOtherShapes) {
  const ProcessResult tuned = run({"tune", kTunedScale, "--symbol", "n=64", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.standard_error;
  EXPECT_THAT(*parse_json(tuned.standard_output)->find("shapes")->as_string(), HasSubstr("2^6"));
  EXPECT_EQ(run({"tune", kTunedScale, "--symbol", "nonsense=64"}).exit_code, 3);
}

TEST_F(CliTuneTest, AcceptsSameValueOptionsAsRun) {
  session_.write("bare.kmux",
                 "kernel bare(x: f32[n], s: f32, out y: f32[n])\n  sources \"bare.c\"\n  launch bare(x, s, y, n)\n");
  session_.write("bare.c",
                 "void bare(const float* x, float s, float* y, int n) {\n"
                 "  for (int i = 0; i < n; ++i) y[i] = s * x[i];\n}\n");
  const ProcessResult tuned = run({"tune", "bare.kmux", "--set", "n=64", "-s", "s=2", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.standard_error;
  EXPECT_THAT(*parse_json(tuned.standard_output)->find("shapes")->as_string(), HasSubstr("2^6"));
  const char* const kNone =
      "needs a value for \"n\" (no option, no file and no example of the program gives it). Give --set n=";
  for (const char* command : {"tune", "bench", "run"}) {
    const ProcessResult without = run({command, "bare.kmux", "--set", "s=2"});
    EXPECT_EQ(without.exit_code, 3) << command;
    EXPECT_THAT(without.standard_error, HasSubstr(kNone)) << command;
    const ProcessResult misspelt = run({command, "bare.kmux", "--set", "N=2"});
    EXPECT_EQ(misspelt.exit_code, 3) << command;
    EXPECT_THAT(misspelt.standard_error, HasSubstr("no symbol or scalar \"N\". Did you mean 'n'?")) << command;
  }
}

TEST_F(CliTuneTest, PinsWinnerInLockFile) {
  EXPECT_THAT(run({"resolve", kTunedScale, "--policy", "pinned", "--lock-file", "lock"}).standard_error,
              HasSubstr("lock"));
  ASSERT_EQ(run({"tune", kTunedScale, "--lock", "lock"}).exit_code, 0);
  const ProcessResult pinned = run({"resolve", kTunedScale, "--policy", "pinned", "--lock-file", "lock"});
  EXPECT_EQ(pinned.exit_code, 0) << pinned.standard_error;
  EXPECT_THAT(pinned.standard_output, HasSubstr("pinned in 'lock'"));
}

TEST_F(CliTuneTest, ResolveExplainsTimesAndPolicy) {
  ASSERT_EQ(run({"tune", kTunedScale}).exit_code, 0);
  const ProcessResult explained = run({"resolve", kTunedScale, "--explain", "--policy", "measured"});
  EXPECT_THAT(explained.standard_output,
              AllOf(HasSubstr("policy measured"), ContainsRegex("[0-9] [nmu]?s [(][0-9.]+ [nmu]?s to "),
                    HasSubstr("plugins are looked for in")));
  EXPECT_THAT(run({"resolve", kTunedScale}).standard_output,
              Not(ContainsRegex("[0-9] [nmu]?s [(][0-9.]+ [nmu]?s to ")));
  EXPECT_THAT(run({"resolve", kTunedScale, "--json", "--explain"}).standard_output, HasSubstr("\"run_us\""));
}

TEST_F(CliTuneTest, UnknownPolicyErrorListsPolicies) {
  const ProcessResult result = run({"resolve", kTunedScale, "--policy", "best"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.standard_error, HasSubstr("priority, fast_start, measured, pinned"));
}

TEST_F(CliTuneTest, CacheListOmitsMeasurements) {
  ASSERT_EQ(run({"tune", kTunedScale}).exit_code, 0);
  const ProcessResult list =
      session_.run({"cache", "list"}, {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}});
  EXPECT_THAT(list.standard_output, Not(HasSubstr("measurement")));
}

}  // namespace
}  // namespace kmux::test
