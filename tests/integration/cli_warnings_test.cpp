// Warnings of the command on stderr without --verbose, which users need although they did not request them.
#include "kmux/json.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

const std::string kWarnedSaxpy = KMUX_TEST_SOURCE_DIR "/examples/portable/saxpy.kmux.json";

TEST(CliWarningsTest, NamesUnknownVariable) {  // C2.15
  const ProcessResult result = CliSession().run({"plugins"}, {{"KMUX_TARGT", "cpu"}, {"KMUX_PLUGIN_PATH", "/nowhere"}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.standard_error, HasSubstr("kmux: warning: KMUX_TARGT is set"));
  EXPECT_THAT(result.standard_error, HasSubstr("Did you mean 'KMUX_TARGET'?"));
  EXPECT_THAT(result.standard_error, HasSubstr("kmux: warning: KMUX_PLUGIN_PATH names \"/nowhere\""));
}

TEST(CliWarningsTest, NamesSwitchAndPathThatNoPluginReadsHere) {
  const std::vector<std::string> words = {"run", kWarnedSaxpy, "--backend", "cpu", "--in", "*=ones"};
  const ProcessResult result =
      CliSession().run(words, {{"KMUX_LAUNCH_BLOCKING", "maybe"}, {"KMUX_TVM_FFI_LIBRARY", "/nope"}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.standard_error, HasSubstr("KMUX_LAUNCH_BLOCKING is \"maybe\", which counts as \"off\""));
  EXPECT_THAT(result.standard_error, HasSubstr("KMUX_TVM_FFI_LIBRARY names \"/nope\", which is not there"));
}

TEST(CliWarningsTest, NamesUnknownPluginOption) {
  const std::vector<std::string> words = {"run", kWarnedSaxpy, "--backend", "cpu", "--in", "*=ones"};
  const ProcessResult wrong = CliSession().run(words, {{"KMUX_OPTION_CPU_ENGIN", "host"}});
  EXPECT_EQ(wrong.exit_code, 0);
  EXPECT_THAT(wrong.standard_error,
              HasSubstr("kmux: warning: option \"cpu.engin\" is set in the environment, but backend "
                        "\"cpu\" has no such option."));
  std::vector<std::string> with_option = words;
  for (const char* word : {"-o", "engine=clang"}) with_option.emplace_back(word);
  const ProcessResult right = CliSession().run(with_option, {{"KMUX_OPTION_CPU_ENGINE", "host"},
                                                             {"KMUX_OPTION_CPU_TIER", "fast"},
                                                             {"KMUX_OPTION_CPU_THREADS", "2"},
                                                             {"KMUX_OPTION_CPU_INCLUDE_DIRS", "/usr"}});
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_THAT(right.standard_error, IsEmpty());
}

TEST(CliWarningsTest, PrintsNothingWithoutProblems) {
  EXPECT_THAT(CliSession().run({"plugins"}).standard_error, IsEmpty());
}

TEST(CliWarningsTest, ReportsUnusableCache) {  // C3.8
  const ProcessResult no_folder = CliSession().run({"plugins"}, {{"KMUX_CACHE_DIR", "/proc/x"}});
  EXPECT_THAT(no_folder.standard_error, HasSubstr("kmux: warning: "));
  EXPECT_THAT(no_folder.standard_error, HasSubstr("/proc/x"));
  const CliSession session;
  const ProcessResult no_number = session.run(
      {"plugins"}, {{"KMUX_CACHE_MAX_BYTES", "4Q"}, {"KMUX_CACHE_DIR", (session.folder() / "cache").string()}});
  EXPECT_THAT(no_number.standard_error, HasSubstr("kmux: warning: nothing is cached: "));
  EXPECT_THAT(no_number.standard_error, HasSubstr("KMUX_CACHE_MAX_BYTES"));
}

TEST(CliWarningsTest, ReportsUseOfExampleValues) {  // C3.8
  const CliSession session;
  const std::vector<std::string> words = {"run", kWarnedSaxpy, "--backend", "cpu", "--in", "*=ones"};
  EXPECT_THAT(session.run(words).standard_output, HasSubstr("with the program's example values: "));
  std::vector<std::string> with_all = words;
  for (const std::string word : {"--scalar", "a=3", "--symbol", "n=16"}) with_all.push_back(word);
  const ProcessResult given = session.run(with_all);
  EXPECT_EQ(given.exit_code, 0) << given.standard_error;
  EXPECT_THAT(given.standard_output, Not(HasSubstr("example values")));
}

}  // namespace
}  // namespace kmux::test
