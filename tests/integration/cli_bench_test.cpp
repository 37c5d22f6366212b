// kmux bench as a user runs it.

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kmux/json.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

class CliBenchTest : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> more) const {
    std::vector<std::string> words = {"bench", "scale/scale.kmux.json", "--target", "c", "--time",
                                      "0.02",  "--repetitions",         "1"};
    words.insert(words.end(), more.begin(), more.end());
    return session_.run(words);
  }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(session_.folder() / name).rdbuf();
    return text.str();
  }
  CliSession session_;
};

TEST_F(CliBenchTest, PrintsTableAndWritesReports) {
  const ProcessResult bench = run({"--backends", "cpu,cpu:engine=host", "--axis", "n=16,64", "--json", "r.json",
                                   "--csv", "r.csv", "--html", "r.html"});
  ASSERT_EQ(bench.exit_code, 0) << bench.standard_error;
  EXPECT_THAT(bench.standard_output, AllOf(HasSubstr("scale (n=16): baseline cpu"), HasSubstr("scale (n=64)"),
                                           HasSubstr("cpu:engine=host"), HasSubstr("device, hot")));
  EXPECT_THAT(text_of("r.json"), HasSubstr("\"samples\""));
  EXPECT_THAT(text_of("r.csv"), HasSubstr("\"scale\",\"n=16\",\"cpu\",timed,build,us,"));
  EXPECT_THAT(text_of("r.html"), AllOf(HasSubstr("<!doctype html>"), HasSubstr("class=\"scaling\"")));
  EXPECT_LE(std::filesystem::file_size(session_.folder() / "r.html"), 500U * 1024);
}

TEST_F(CliBenchTest, AcceptsSameValueOptionsAsRun) {
  const ProcessResult bench = run({"--backends", "cpu", "--set", "n=64", "-s", "factor=2", "--json", "r.json"});
  ASSERT_EQ(bench.exit_code, 0) << bench.standard_error;
  EXPECT_THAT(text_of("r.json"), HasSubstr("\"bytes\": 512"));
  EXPECT_EQ(run({"--set", "n=64", "--symbol", "n=64"}).exit_code, 3);
  ASSERT_EQ(run({"--backends", "cpu", "--set", "n=64", "--json", "s.json"}).exit_code, 0);
  const auto identity = [&](const std::string& name) {
    return *(*parse_json(text_of(name))->find("contests")->as_array())[0].find("identity")->as_string();
  };
  EXPECT_NE(identity("r.json"), identity("s.json")) << "one does not stand for measuring the other";
}

TEST_F(CliBenchTest, SetsConstantsForEveryBackend) {
  session_.write("scaled.cu", R"(//! kmux
//! kernel scaled(x: f32[n: i32], out y: f32[n])
//!   constant scale: f32
//!   example n = 32
//!   launch scaled<<<1, n>>>(x, y)
__constant__ float scale;
__global__ void scaled(const float* x, float* y) { y[threadIdx.x] = scale * x[threadIdx.x]; }
)");
  const auto bench = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"bench",  "scaled.cu", "--backends",    "cpu,cpu:tier=fast",
                                      "--time", "0.02",      "--repetitions", "1",
                                      "--json", "r.json"};
    words.insert(words.end(), more.begin(), more.end());
    return session_.run(words);
  };
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--constant", "scale=3"}}) {
    const ProcessResult result = bench(more);
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    EXPECT_THAT(result.standard_output, AllOf(HasSubstr("cpu:tier=fast"), Not(HasSubstr("not timed"))));
    const Json report = parse_json(text_of("r.json")).value();
    for (const Json& entrant : *(*report.find("contests")->as_array())[0].find("entrants")->as_array()) {
      EXPECT_EQ(*entrant.find("state")->as_string(), "timed") << dump(entrant);
    }
  }
  EXPECT_THAT(
      bench({"--constant", "scale=1,2"}).standard_error,
      HasSubstr("program \"scaled\": --constant gives \"scale\" 2 numbers (the program declares it as float32"));
}

TEST_F(CliBenchTest, KeepsResultsWhenStoppedAndResumes) {
  const std::string words =
      " bench scale/scale.kmux.json --target c --backends cpu --time 0.3 --repetitions 1 --axis n=8,16,32";
  const auto shell = [&](const std::string& script) {
    Command command{.argv = {"/bin/sh", "-c", script}, .working_directory = session_.folder().string()};
    command.environment["KMUX_DISABLE_CACHE"] = "1";
    command.timeout = std::chrono::minutes(2);
    return kmux::run(command).value();
  };
  const std::string kmux = std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux" + words;
  const ProcessResult stopped = shell(kmux +
                                      " --json r.json --html r.html & while [ ! -s r.html ]; do sleep 0.05; done; "
                                      "kill -INT $!; wait $!");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.standard_error;
  EXPECT_THAT(stopped.standard_error, AllOf(HasSubstr("of 3 contests). Go on with --resume r.json.")));
  EXPECT_THAT(stopped.standard_output, HasSubstr("scale (n=8)")) << "what there is";
  EXPECT_THAT(text_of("r.html"), HasSubstr("stopped after "));
  const Json before = parse_json(text_of("r.json")).value();
  const ProcessResult resumed = shell(kmux + " --json r.json --html r.html --resume r.json");
  ASSERT_EQ(resumed.exit_code, 0) << resumed.standard_error;
  const Json after = parse_json(text_of("r.json")).value();
  ASSERT_EQ(after.find("contests")->as_array()->size(), 3U);
  EXPECT_EQ(after.find("contests")->as_array()->front(), before.find("contests")->as_array()->front());
  EXPECT_THAT(text_of("r.html"), Not(HasSubstr("stopped after ")));
}

TEST_F(CliBenchTest, RejectsInvalidResume) {
  session_.write("launch.json", R"({"context": {}, "benchmarks": [{"name": "a", "real_time": 2, "time_unit": "ns"}]})");
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& message, int code = 3) {
    const ProcessResult bench = session_.run(words);
    EXPECT_EQ(bench.exit_code, code);
    EXPECT_THAT(bench.standard_error, HasSubstr(message));
  };
  refuses({"bench", "scale/scale.kmux.json", "--resume", "none.json"}, "none.json");
  refuses({"bench", "scale/scale.kmux.json", "--resume", "launch.json"}, "--from");
  refuses({"bench", "--from", "launch.json", "--resume", "launch.json"}, "no program is given", 2);
}

constexpr const char* kBenchmarks = R"({"context": {"num_cpus": 4}, "benchmarks": [
  {"name": "call/8", "real_time": 20, "time_unit": "ns"}, {"name": "call/64", "real_time": 30, "time_unit": "ns"}]})";

TEST_F(CliBenchTest, ReadsEarlierResults) {
  session_.write("launch.json", kBenchmarks);
  ASSERT_EQ(run({"--backends", "cpu", "--json", "r.json", "--from", "launch.json"}).exit_code, 0);
  EXPECT_THAT(text_of("r.json"), AllOf(HasSubstr("\"scale\""), HasSubstr("\"call\"")));
  const ProcessResult again =
      session_.run({"bench", "--from", "r.json", "--html", "r.html", "--csv", "r.csv", "--json", "again.json"});
  ASSERT_EQ(again.exit_code, 0) << again.standard_error;
  EXPECT_THAT(again.standard_output, AllOf(HasSubstr("scale: baseline cpu"), HasSubstr("call (arg0=64)")));
  EXPECT_THAT(text_of("r.html"), AllOf(HasSubstr("class=\"verdicts\""), HasSubstr("class=\"benchmarks\"")));
  EXPECT_THAT(text_of("r.csv"), HasSubstr("\"call\",\"arg0=64\",\"launch\",timed,host_call,us,0.03,"));
  EXPECT_EQ(text_of("again.json"), text_of("r.json"));
}

TEST_F(CliBenchTest, RejectsInvalidResultFile) {
  session_.write("bad.json", R"({"context": {}, "benchmarks": 3})");
  for (const auto& [file, message] : {std::pair("bad.json", "\"bad.json\": this is not a result of Google Benchmark"),
                                      std::pair("scale/scale.kmux.json", "this is not a report of kmux bench"),
                                      std::pair("none.json", "none.json")}) {
    const ProcessResult bench = session_.run({"bench", "--from", file});
    EXPECT_NE(bench.exit_code, 0);
    EXPECT_THAT(bench.standard_error, HasSubstr(message));
  }
  EXPECT_THAT(session_.run({"bench"}).standard_error, HasSubstr("no program is given"));
}

TEST_F(CliBenchTest, FailsIfConditionIsMet) {
  const ProcessResult passed =
      run({"--backends", "cpu,cpu:engine=host", "--fail-if", "slower:10000%", "--fail-if", "wrong"});
  EXPECT_EQ(passed.exit_code, 0) << passed.standard_output;
  const ProcessResult failed = run({"--backends", "cpu,cpu:engine=none", "--fail-if", "failed"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.standard_output, HasSubstr("FAIL scale on cpu:engine=none: "));
}

TEST_F(CliBenchTest, FailsWhenNothingWasCompared) {
  const auto gives = [&](const std::vector<std::string>& words, const std::string& line) {
    const ProcessResult bench = run(words);
    EXPECT_EQ(bench.exit_code, 4) << bench.standard_output << bench.standard_error;
    EXPECT_THAT(bench.standard_output, HasSubstr(line));
  };
  const std::string alone = "FAIL scale: nothing was compared, so nothing passed (timed: cpu)";
  gives({"--backends", "cpu", "--fail-if", "slower:5%"}, alone);
  gives({"--backends", "cpu", "--fail-if", "wrong"}, alone);
  gives({"--backends", "cpu,cpu:engine=none", "--fail-if", "slower:5%"}, alone);
  gives({"--backends", "cpu", "--axis", "n=16", "--fail-if", "slower:5%"}, "FAIL scale (n=16): nothing was compared");
  gives({"--backends", "cpu:engine=none"}, "FAIL nothing was timed");
  gives({"--backends", "cpu,nvrtc"}, "FAIL scale: nvrtc was named and cannot run here (");
  EXPECT_EQ(run({"--backends", "cpu", "--fail-if", "failed"}).exit_code, 0);
}

TEST_F(CliBenchTest, AppliesFailIfToImportedResults) {
  session_.write("launch.json", kBenchmarks);
  EXPECT_EQ(session_.run({"bench", "--from", "launch.json"}).exit_code, 0);
  const ProcessResult bench = session_.run({"bench", "--from", "launch.json", "--fail-if", "slower:5%"});
  EXPECT_EQ(bench.exit_code, 4);
  EXPECT_THAT(bench.standard_output, HasSubstr("FAIL call (arg0=64): nothing was compared"));
}

TEST_F(CliBenchTest, RejectsInvalidOptionValues) {
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& message) {
    const ProcessResult bench = run(words);
    EXPECT_NE(bench.exit_code, 0);
    EXPECT_THAT(bench.standard_error, HasSubstr(message));
    EXPECT_THAT(bench.standard_output, Not(HasSubstr("baseline")));
  };
  refuses({"--fail-if", "slow"}, "\"slow\" is nothing to fail for");
  refuses({"--axis", "n=x"}, "\"x\" is not an integer (--axis n)");
  refuses({"--axis", "n"}, "--axis \"n\" is not an assignment");
  refuses({"--backends", "nonsense"}, "\"nonsense\" cannot be measured");
  refuses({"--baseline", "cuda"}, "the baseline \"cuda\" does not run program \"scale\" here");
}

}  // namespace
}  // namespace kmux::test
