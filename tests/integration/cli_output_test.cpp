// C3.1: no option that writes a file may overwrite a user's file.

#include <filesystem>
#include <fstream>

#include "file_size_limit.h"
#include "integration/cli_session.h"
#include "sizes.h"

namespace kmux::test {
namespace {

using ::testing::Gt;
using ::testing::Lt;
using Words = std::vector<std::string>;

const char* const kScaleProgram = "scale/scale.kmux.json";

/// A command that writes one file.
struct Writer {
  const char* name;
  Words words;               // without the file
  const char* before = "";   // in the last word, before the file's name
};

const Words kRunScale = {"run", kScaleProgram, "--target", "c", "--scalar", "factor=2", "--in", "x=x8.npy"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Every option that writes a file; new ones must be added. In the small size, one stands for the three of bench.
std::vector<Writer> all_writers() {
  const Words trace = with({"trace"}, {kRunScale.begin() + 1, kRunScale.end()});
  const Words bench = {"bench", kScaleProgram, "--backends", "cpu",           "--target",
                       "c",     "--time",      "0.01",       "--repetitions", "1"};
  const Words export_one = {"export", kScaleProgram, "--backend", "cpu"};
  std::vector<Writer> writers = {
      {"Artifact", {"compile", kScaleProgram, "--target", "c", "--output"}},
      {"Library", with(export_one, {"-o"})},
      {"Header", with(export_one, {"-o", "other.so", "--header"})},
      {"Tensor", with(kRunScale, {"--out"}), "y="},
      {"Trace", with(trace, {"--trace"})},
      {"TensorOfTrace", with(trace, {"--trace", "other.json", "--out"}), "y="},
      {"Json", with(bench, {"--json"})},
      {"Lock", {"tune", kScaleProgram, "--target", "c", "--time", "0.01", "--lock"}},
      {"Bundle", {"cache", "export"}},
  };
  if (has_all_tests())
    writers.insert(writers.end(), {{"Page", with(bench, {"--html"})}, {"Csv", with(bench, {"--csv"})}});
  return writers;
}

class CliOutputTest : public testing::TestWithParam<Writer> {
 protected:
  ProcessResult write_to(const std::string& file, const Words& more = {}) const {
    Words words = GetParam().words;
    words.push_back(GetParam().before + file);
    return session_.run(with(words, more), {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}});
  }
  std::string content_of(const std::string& name) const {
    std::ifstream file(session_.folder() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void expect_refusal(const std::string& file, const std::string& why) const {
    const std::string before = content_of(file);
    const ProcessResult refused = write_to(file);
    EXPECT_EQ(refused.exit_code, 3) << file;
    EXPECT_THAT(refused.standard_error, AllOf(HasSubstr("would overwrite \"" + file), HasSubstr(why)));
    EXPECT_EQ(content_of(file), before) << file;
    EXPECT_FALSE(std::filesystem::exists(session_.folder() / "other.so"));
    EXPECT_FALSE(std::filesystem::exists(session_.folder() / "other.json"));
  }
  CliSession session_;
};

TEST_P(CliOutputTest, DoesNotOverwritePrograms) {
  expect_refusal(kScaleProgram, "a program");
  expect_refusal("gemm/gemm.kmux.json", "");
  expect_refusal("new.kmux.json", "the name of a program");
}

TEST_P(CliOutputTest, DoesNotOverwriteSources) {
  const std::string file = GetParam().name == std::string("Bundle") ? "is not a bundle" : "source of program";
  expect_refusal("scale/scale.c", file);
  expect_refusal("gemm/gemm.c", "is not a");
}

TEST_P(CliOutputTest, DoesNotOverwriteThroughLinks) {
  std::filesystem::create_symlink("scale/scale.c", session_.folder() / "link");
  std::filesystem::create_hard_link(session_.folder() / "scale/scale.c", session_.folder() / "hard");
  expect_refusal("link", "");
  expect_refusal("hard", "");
}

TEST_P(CliOutputTest, DoesNotOverwriteOtherFileKinds) {
  session_.write("notes.txt", "what I thought of\n");
  session_.write("page.html", "<!doctype html>\n<title>my page</title>\n");
  session_.write("data.json", R"({"traceEvents":[]})");
  for (const char* file : {"notes.txt", "page.html", "data.json"}) expect_refusal(file, "it is there and is not a");
}

TEST_P(CliOutputTest, OverwritesOwnOutput) {
  for (int i = 0; i < 2; ++i) {
    const ProcessResult written = write_to("mine");
    EXPECT_EQ(written.exit_code, 0) << written.standard_error;
  }
  EXPECT_NE(content_of("mine"), "");
}

TEST_P(CliOutputTest, ReportsErrorBeyondFileSizeLimit) {
  const FileSizeLimit limit(8);
  const ProcessResult written = write_to("mine");
  EXPECT_THAT(written.exit_code, AllOf(Gt(0), Lt(128))) << written.standard_error;
  EXPECT_NE(written.standard_error, "");
}

/// All writers except --lock: it keeps the file's content, so the file must be a lock file.
class CliFreshOutputTest : public CliOutputTest {};

TEST_P(CliFreshOutputTest, OverwritesEmptyFile) {
  session_.write("mine", "");
  EXPECT_EQ(write_to("mine").exit_code, 0);
  EXPECT_NE(content_of("mine"), "");
}

TEST_P(CliFreshOutputTest, OverwritesAnyFileIfForced) {
  session_.write("notes.txt", "what I thought of\n");
  const ProcessResult forced = write_to("notes.txt", {"--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.standard_error;
  EXPECT_NE(content_of("notes.txt"), "what I thought of\n");
}

TEST_P(CliOutputTest, RejectsDeviceFile) {
  const ProcessResult refused = write_to("/dev/null", {});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.standard_error, HasSubstr("not a regular file"));
}

INSTANTIATE_TEST_SUITE_P(Cli, CliOutputTest, testing::ValuesIn(all_writers()),
                         [](const auto& test) { return std::string(test.param.name); });

std::vector<Writer> fresh_writers() {
  std::vector<Writer> writers = all_writers();
  std::erase_if(writers, [](const Writer& one) { return one.name == std::string("Lock"); });
  return writers;
}

INSTANTIATE_TEST_SUITE_P(Cli, CliFreshOutputTest, testing::ValuesIn(fresh_writers()),
                         [](const auto& test) { return std::string(test.param.name); });

class CliOutputsTest : public testing::Test {
 protected:
  void expect_refusal(const Words& words, const std::string& message) const {
    const auto before = session_.files();
    const ProcessResult refused = session_.run(words);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.standard_error, HasSubstr(message));
    EXPECT_EQ(session_.files(), before);
  }
  CliSession session_;
};

TEST_F(CliOutputsTest, AreRejectedIfAlsoInputs) {
  expect_refusal(with(kRunScale, {"--out", "y=x8.npy"}), "--out would overwrite \"x8.npy\" (--in reads it)");
  expect_refusal(with(kRunScale, {"--check", "y=wrong8.npy", "--out", "y=wrong8.npy"}), "--check reads it");
}

TEST_F(CliOutputsTest, AreRejectedIfTwoShareOneFile) {
  expect_refusal({"bench", kScaleProgram, "--json", "a", "--html", "./a"}, "--html names the file of --json");
  expect_refusal(with(kRunScale, {"--out", "y=a", "--out", "x=a"}), "\"a\" twice");
}

TEST_F(CliOutputsTest, PruneRequiresLimitOrAll) {
  const CliSession::Variables cache = {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}};
  ASSERT_EQ(session_.run({"compile", kScaleProgram, "--target", "c"}, cache).exit_code, 0);
  const ProcessResult bare = session_.run({"cache", "prune"}, cache);
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.standard_error, HasSubstr("or --all alone"));
  EXPECT_EQ(session_.run({"cache", "prune", "--all", "--max-days", "1"}, cache).exit_code, 2);
  EXPECT_EQ(session_.run({"cache", "ls", "--all"}, cache).exit_code, 2);
  EXPECT_EQ(session_.run({"cache", "import", "b.tar.zst", "--force"}, cache).exit_code, 2);
  EXPECT_THAT(session_.run({"cache", "prune", "--all"}, cache).standard_output, HasSubstr("1 build removed"));
}

}  // namespace
}  // namespace kmux::test
