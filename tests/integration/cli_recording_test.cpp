// SPDX-License-Identifier: Apache-2.0
// Recordings of untrusted users, and recording folders that untrusted users created.

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "integration/cli_replay.h"
#include "needs.h"

namespace kmux::test {
namespace {

TEST_F(CliReplayTest, RejectsInvalidOrOverflowingShapes) {
  record();
  const std::string whole = calls();
  for (const char* const wrong :
       {"[-1]", "[4000000000,4000000000,4000000000]", "[9223372036854775807]", "[16],\"strides\":[900000000000000]"}) {
    std::string text = whole;
    text.replace(text.find("[16]"), 4, wrong);
    write_calls(text);
    const ProcessResult refused = replay();
    EXPECT_EQ(refused.exit_code, 3) << wrong << refused.standard_error;
    EXPECT_THAT(refused.standard_error, HasSubstr("is not a recording (")) << wrong;
  }
}

TEST_F(CliReplayTest, RejectsBuffersLargerThanMachineMemory) {
  record();
  std::string text = calls();
  text.replace(text.find("[16]"), 4, "[100000000000000]");
  write_calls(text);
  const ProcessResult refused = replay();
  EXPECT_EQ(refused.exit_code, 3) << refused.standard_error;
  EXPECT_THAT(refused.standard_error,
              HasSubstr("cannot be replayed (the buffers of a call take 363.8 TiB, and this machine has "));
}

/// Recordings that name a compiler which refuses everything: if compiling succeeds, that compiler was not called.
class ReplayedChoicesTest : public CliReplayTest {
 protected:
  ReplayedChoicesTest() {
    record();
    session_.write("cc.sh", "#!/bin/sh\necho \"refused: $*\" >&2\nexit 1\n");
    std::filesystem::permissions(compiler(), std::filesystem::perms::owner_all);
  }
  std::filesystem::path compiler() const { return session_.folder() / "cc.sh"; }
  void write_kernel(const std::string& members) const {
    std::ofstream(process_ / "kernels/1-scale/kernel.json")
        << R"({"format": 2, "backend": "cpu", "target": "c", "out_idx": [], )" << members << "}";
  }
};

TEST_F(ReplayedChoicesTest, IgnoresRecordedProgramsAndFolders) {
  write_kernel(R"("options": {"engine": "host", "host_compiler": ")" + compiler().string() +
               R"(", "include_dirs": "/a", "linker": "/bin/b", "compile_flags": "-O1\n-DA='x y' -I/c"},)"
               R"("include_dirs": ["/d"], "compile_flags": ["-O2 -I/e"])");
  const ProcessResult replayed = replay();
  EXPECT_EQ(replayed.exit_code, 0) << replayed.standard_error;
  EXPECT_THAT(replayed.standard_output, HasSubstr("no difference\n"));
  EXPECT_THAT(replayed.standard_error,
              AllOf(HasSubstr("kmux: warning: \""), HasSubstr("option \"host_compiler\""),
                    HasSubstr("option \"include_dirs\""), HasSubstr("option \"linker\""), HasSubstr("flag \"-I/c\""),
                    HasSubstr("include folder \"/d\""), HasSubstr("flag \"-I/e\""),
                    HasSubstr("ignored (a recording chooses no program and no folder of this machine)")));
}

TEST_F(ReplayedChoicesTest, AppliesFlagsWithoutFolders) {
  write_kernel(R"("options": {}, "compile_flags": ["-Wall '-DA=x y'", "-I/e --no-such-flag"])");
  const ProcessResult refused = replay();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.standard_error, HasSubstr("\"--no-such-flag\" is not allowed"));
}

TEST_F(ReplayedChoicesTest, CommandLineChoosesHostCompiler) {
  const ProcessResult refused = replay({"--option", "engine=host", "--option", "host_compiler=" + compiler().string()});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.standard_error, AllOf(HasSubstr(compiler().string()), Not(HasSubstr("ignored"))));
}

/// Folders that KMUX_RECORD names and that must stay unwritten.
class RecordingRefusalTest : public CliReplayTest {
 protected:
  /// Returns stderr of a recording process, which must still run its kernel.
  std::string said() const {
    const ProcessResult run = session_.run({"run", "scale/scale.kmux.json", "--target", "c"},
                                           {{"KMUX_RECORD", folder().string()}, {"KMUX_RECORD_DATA", "full"}});
    EXPECT_EQ(run.exit_code, 0) << run.standard_error;
    return run.standard_error;
  }
  static constexpr const char* kBegin = "kmux: warning: calls of \"scale\" are not recorded: folder '";
};

TEST_F(RecordingRefusalTest, RejectsWorldWritableFolder) {
  std::filesystem::create_directory(folder());
  std::filesystem::permissions(folder(), std::filesystem::perms::all);
  EXPECT_THAT(said(), AllOf(HasSubstr(kBegin + folder().string()),
                            HasSubstr("is refused (others may write to it). Run `chmod go-w` on it.")));
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(RecordingRefusalTest, RejectsFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << needs("root", "only root can give a folder away");
  std::filesystem::create_directory(folder());
  ASSERT_EQ(::chown(folder().c_str(), 12345, 12345), 0);
  EXPECT_THAT(said(), AllOf(HasSubstr(kBegin), HasSubstr("it belongs to user 12345")));
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(RecordingRefusalTest, RejectsSymbolicLink) {
  std::filesystem::create_directory(session_.folder() / "elsewhere");
  std::filesystem::create_directory_symlink(session_.folder() / "elsewhere", folder());
  EXPECT_THAT(said(), AllOf(HasSubstr(kBegin), HasSubstr("it is a symbolic link")));
  EXPECT_TRUE(std::filesystem::is_empty(session_.folder() / "elsewhere"));
}

TEST_F(CliReplayTest, RecordingIsPrivateToUser) {
  record();
  using std::filesystem::perms;
  const auto rights = [](const std::filesystem::path& path) { return std::filesystem::status(path).permissions(); };
  for (const char* const made : {"", "kernels", "kernels/1-scale", "data"})
    EXPECT_EQ(rights(process_ / made), perms::owner_all) << made;
  EXPECT_EQ(rights(folder()), perms::owner_all);
  EXPECT_EQ(rights(process_ / "calls.jsonl"), perms::owner_read | perms::owner_write);
}

}  // namespace
}  // namespace kmux::test
