// SPDX-License-Identifier: Apache-2.0
// A named pipe where a command reads or writes a file is refused by name. No process writes to these pipes, so a reader
// hangs.

#include <sys/stat.h>

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

using Words = std::vector<std::string>;

class CliNamedPipeTest : public testing::Test {
 protected:
  CliNamedPipeTest() {
    for (const char* const name : {"pipe", "pipe.npy", "pipe.kmux", "pipe.cu", "report/calls.jsonl"}) {
      const auto path = session_.folder() / name;
      std::filesystem::create_directories(path.parent_path());
      EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0) << name;
    }
  }
  /// Runs `kmux run` of the scale program with `more`.
  static Words run(const Words& more) {
    Words words{"run", "scale/scale.kmux.json", "--target", "c", "--symbol", "n=16"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  CliSession session_;
};

TEST_F(CliNamedPipeTest, IsRejectedWithoutWaiting) {
  for (const Words& words :
       {Words{"show", "pipe.kmux"}, Words{"compile", "pipe.cu"}, Words{"new", "pipe.cu"}, Words{"fmt", "pipe.kmux"},
        Words{"cache", "import", "pipe"}, Words{"cache", "export", "pipe", "--force"}, Words{"replay", "report"},
        Words{"bench", "--from", "pipe"}, Words{"bench", "scale/scale.kmux.json", "--resume", "pipe"},
        run({"--in", "x=pipe.npy"}), run({"--check", "y=pipe.npy"}), run({"--out", "y=pipe.npy", "--force"}),
        run({"--policy", "pinned", "--lock-file", "pipe"})}) {
    const ProcessResult refused = session_.run(words, {{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}});
    EXPECT_EQ(refused.exit_code, 3) << testing::PrintToString(words);
    EXPECT_THAT(refused.standard_error,
                AllOf(HasSubstr("not a regular file"), HasSubstr(words[0] == "replay" ? "calls.jsonl" : "pipe")))
        << testing::PrintToString(words);
  }
}

TEST_F(CliNamedPipeTest, IsRejectedAsTraceFile) {
  const ProcessResult traced = session_.run(run({}), {{"KMUX_TRACE", "pipe"}});
  EXPECT_EQ(traced.exit_code, 0);
  EXPECT_THAT(traced.standard_error, HasSubstr("pipe\" (it is a file of another kind). Name another file."));
}

}  // namespace
}  // namespace kmux::test
