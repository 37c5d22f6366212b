// kmux bench as a user types it.

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CliBench : public testing::Test {
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

TEST_F(CliBench, PrintsATableAndWritesReports) {
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

TEST_F(CliBench, FailsForWhatItIsAskedTo) {
  EXPECT_EQ(run({"--backends", "cpu", "--fail-if", "slower:5%", "--fail-if", "wrong"}).exit_code, 0);
  const ProcessResult failed = run({"--backends", "cpu,cpu:engine=none", "--fail-if", "failed"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.standard_output, HasSubstr("FAIL scale on cpu:engine=none: "));
}

TEST_F(CliBench, RefusesWrongWords) {
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& message) {
    const ProcessResult bench = run(words);
    EXPECT_NE(bench.exit_code, 0);
    EXPECT_THAT(bench.standard_error, HasSubstr(message));
    EXPECT_THAT(bench.standard_output, Not(HasSubstr("baseline")));
  };
  refuses({"--fail-if", "slow"}, "\"slow\" is nothing to fail for");
  refuses({"--axis", "n=x"}, "\"x\" is no integer (--axis n)");
  refuses({"--axis", "n"}, "--axis \"n\" is no assignment");
  refuses({"--backends", "nonsense"}, "\"nonsense\" cannot be measured");
  refuses({"--baseline", "cuda"}, "the baseline \"cuda\" does not run program \"scale\" here");
}

}  // namespace
}  // namespace kmux::test
