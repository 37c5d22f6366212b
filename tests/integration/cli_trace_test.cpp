// kmux trace and KMUX_TRACE as a user runs them.

#include <fstream>
#include <sstream>

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

class CliTraceTest : public testing::Test {
 protected:
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(session_.folder() / name).rdbuf();
    return text.str();
  }
  std::vector<std::string> words(const std::string& command) const {
    return {command,   "scale/scale.kmux.json", "--target", "c", "--in", "x=random:1", "--symbol", "n=16", "--scalar",
            "factor=2"};
  }
  CliSession session_;
};

TEST_F(CliTraceTest, WritesEveryStage) {
  std::vector<std::string> command = words("trace");
  command.insert(command.end(), {"--repeat", "3", "--trace", "t.json"});
  const ProcessResult traced = session_.run(command);
  ASSERT_EQ(traced.exit_code, 0) << traced.standard_error;
  EXPECT_THAT(traced.standard_output, HasSubstr("trace: t.json"));
  EXPECT_THAT(text_of("t.json"), AllOf(HasSubstr("\"traceEvents\""), HasSubstr("\"resolve\""), HasSubstr("\"wrap\""),
                                       HasSubstr("\"build\""), HasSubstr("\"load\""), HasSubstr("\"call\"")));
}

TEST_F(CliTraceTest, RecordsCacheHit) {
  const CliSession::Variables cache = {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}};
  std::vector<std::string> command = words("trace");
  command.insert(command.end(), {"--trace", "t.json", "--option", "tier=full"});
  ASSERT_EQ(session_.run(command, cache).exit_code, 0);
  EXPECT_THAT(text_of("t.json"), AllOf(HasSubstr("\"build\""), Not(HasSubstr("hit"))));
  ASSERT_EQ(session_.run(command, cache).exit_code, 0);
  EXPECT_THAT(text_of("t.json"), AllOf(HasSubstr("\"cache hit\""), HasSubstr("\"load\""), Not(HasSubstr("\"build\""))));
}

TEST_F(CliTraceTest, RejectsUnwritableFile) {
  std::vector<std::string> command = words("trace");
  command.insert(command.end(), {"--trace", "no/such/folder/t.json"});
  const ProcessResult traced = session_.run(command);
  EXPECT_NE(traced.exit_code, 0);
  EXPECT_THAT(traced.standard_error, HasSubstr("--trace cannot write \"no/such/folder/t.json\""));
}

TEST_F(CliTraceTest, VariableEnablesTracing) {
  const ProcessResult run = session_.run(words("run"), {{"KMUX_TRACE", (session_.folder() / "any.json").string()}});
  ASSERT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_THAT(text_of("any.json"), AllOf(HasSubstr("\"build\""), HasSubstr("\"call\"")));
}

TEST_F(CliTraceTest, VariableOverwritesOnlyTraces) {
  session_.write("notes.c", "int keep;\n");
  session_.write("mine.json", R"({"mine": 1})");
  for (const std::string name : {"notes.c", "mine.json", "any.json", "any.json"}) {
    const ProcessResult run = session_.run(words("run"), {{"KMUX_TRACE", (session_.folder() / name).string()}});
    EXPECT_EQ(run.exit_code, 0) << run.standard_error;
    const bool is_told = run.standard_error.find("the trace is not written to") != std::string::npos;
    EXPECT_EQ(is_told, name != "any.json") << run.standard_error;
  }
  EXPECT_EQ(text_of("mine.json"), R"({"mine": 1})");
  EXPECT_EQ(text_of("notes.c"), "int keep;\n");
}

}  // namespace
}  // namespace kmux::test
