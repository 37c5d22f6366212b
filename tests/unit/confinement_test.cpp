// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/confinement.h"

#include <cstdlib>
#include <fstream>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

#include "../temp_folder.h"
#include "needs.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConfinedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!confinement_here().starts_with("Landlock")) GTEST_SKIP() << needs("Landlock", confinement_here());
  }
  // Runs a shell script with the restrictions of compilers.
  ProcessResult shell(const std::string& script) const {
    return run(compiler_command({"/bin/sh", "-c", script}, folder)).value();
  }

  const TempFolder outside;
  const CompilationFolder folder = CompilationFolder::create("kmux-test").value();
};

TEST_F(ConfinedTest, ReadsOnlyProgramAndSystemFiles) {
  outside.write("secret.h", "secret\n");
  const std::vector<File> files = {{"a.h", "program\n"}};
  ASSERT_TRUE(folder.write_program(files));
  EXPECT_EQ(shell("cat " + folder.program() + "/a.h").standard_output, "program\n");
  EXPECT_EQ(shell("test -r /usr/bin/env && echo yes").standard_output, "yes\n");
  for (const std::string& path : {outside.path().string() + "/secret.h", std::string("/etc/passwd"),
                                  std::string("/etc/shadow"), std::string("/root/.profile")}) {
    const ProcessResult refused = shell("cat " + path);
    EXPECT_NE(refused.exit_code, 0) << path;
    EXPECT_EQ(refused.standard_output, "") << path;
  }
}

TEST_F(ConfinedTest, ReadsFoldersNamedByUser) {
  outside.write("near.h", "named\n");
  Command command = compiler_command({"/bin/cat", outside.path().string() + "/near.h"}, folder);
  EXPECT_NE(run(command).value().exit_code, 0);
  command.confinement->reads.push_back(outside.path().string());
  EXPECT_EQ(run(command).value().standard_output, "named\n");
}

TEST_F(ConfinedTest, WritesOnlyIntoItsFolders) {
  EXPECT_EQ(
      shell("echo x > $TMPDIR/a && mv $TMPDIR/a " + folder.own() + "/b && cat " + folder.own() + "/b").standard_output,
      "x\n");
  EXPECT_EQ(shell("echo x > /dev/null; echo $?").standard_output, "0\n");
  for (const std::string& place : {outside.path().string(), folder.program(), folder.empty(), folder.unit(),
                                   std::string("/tmp"), std::string("/dev/shm")}) {
    EXPECT_NE(shell("echo x > " + place + "/kmux-written").exit_code, 0) << place;
    EXPECT_FALSE(std::ifstream(place + "/kmux-written").is_open()) << place;
  }
}

TEST_F(ConfinedTest, RestrictsChildProcesses) {
  EXPECT_NE(shell("/bin/sh -c 'cat /etc/passwd'").exit_code, 0);
  EXPECT_NE(shell("/bin/sh -c 'echo x > " + outside.path().string() + "/b'").exit_code, 0);
  EXPECT_THAT(shell("grep -E 'NoNewPrivs|Seccomp:' /proc/self/status").standard_output,
              AllOf(HasSubstr("NoNewPrivs:\t1"), HasSubstr("Seccomp:\t2")));
}

TEST_F(ConfinedTest, BlocksSocketsNamespacesAndPtrace) {
  const auto says = [&](const std::string& python) {
    return shell("/usr/bin/python3 -I -c '" + python + "' 2>&1").standard_output;
  };
  EXPECT_THAT(says("import socket; socket.socket()"), HasSubstr("Operation not permitted"));
  EXPECT_THAT(says("import socket; socket.socket(socket.AF_UNIX)"), HasSubstr("Operation not permitted"));
  EXPECT_THAT(says("import ctypes, os; c = ctypes.CDLL(None, use_errno=True); print(c.unshare(0x10000000), "
                   "os.strerror(ctypes.get_errno()))"),
              HasSubstr("-1 Operation not permitted"));
  EXPECT_THAT(says("import ctypes, os; c = ctypes.CDLL(None, use_errno=True); print(c.ptrace(16, os.getppid(), 0, 0), "
                   "os.strerror(ctypes.get_errno()))"),
              HasSubstr("-1 Operation not permitted"));
  EXPECT_THAT(says("import threading, subprocess; t = threading.Thread(target=print, args=(7,)); t.start(); t.join(); "
                   "subprocess.run([\"/bin/echo\", \"8\"])"),
              AllOf(HasSubstr("7"), HasSubstr("8")));
}

TEST_F(ConfinedTest, SetsResourceLimits) {
  EXPECT_EQ(shell("sleep 0.3; ulimit -c; ulimit -t").standard_output, "0\n3600\n");
}

TEST_F(ConfinedTest, DoesNotRestrictCallingThread) {
  shell("true");
  std::ofstream(outside.path() / "written") << "x";
  EXPECT_TRUE(std::ifstream(outside.path() / "written").is_open());
  EXPECT_THAT(run(Command{{"/bin/sh", "-c", "grep NoNewPrivs /proc/self/status"}}).value().standard_output,
              Not(HasSubstr("1")));
}

TEST(ConfinementTest, InstallationExcludesHomeFolder) {
  const TempFolder home;
  const std::string programs = home.write("bin/c++", "").parent_path().string();
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  ::setenv("HOME", home.path().c_str(), 1);
  const std::string installation = installation_of(programs + "/c++");
  ::setenv("HOME", before.c_str(), 1);
  EXPECT_EQ(installation, programs);
}

TEST(ConfinementTest, FindsInstallationOfProgram) {
  EXPECT_EQ(installation_of("/nowhere/bin/c++"), "/nowhere");
  EXPECT_EQ(installation_of("/nowhere/c++"), "/nowhere");
}

}  // namespace
}  // namespace kmux
