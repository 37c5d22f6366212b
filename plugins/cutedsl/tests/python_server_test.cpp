#include "python_server.h"

#include <cstdlib>
#include <optional>
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "kmux/plugin/file_io.h"

#include "nvidia/library/adapter.h"
#include "workbench.h"

namespace kmux::cutedsl {
namespace {

using testing::HasSubstr;

class PythonServerTest : public CuteDslTest {};

ProgramBuilder scaled() {
  ProgramBuilder builder = vector_program(kScale);
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  return builder;
}

TEST_F(PythonServerTest, MatchesSeparatePython) {
  const Options kept = {{"keep_python", "on"}};
  const auto code = [&](const Options& options) {
    return *build(scaled().build().value(), options)->find(nvidia::kCodePart);
  };
  const std::string first = code(kept);
  EXPECT_EQ(code(kept), first);
  EXPECT_EQ(code({}), first);
  ProgramBuilder broken = vector_program(kImports + "@cute.kernel\ndef scale(x: cute.Tensor):\n    nonsense(x)\n");
  broken.launch("scale").grid({1}).block({128}).args({"x"});
  EXPECT_THAT(failure(broken.build().value(), kept).message, HasSubstr("kernels.py:7"));
  EXPECT_EQ(code(kept), first);
}

TEST_F(PythonServerTest, ReturnsNothingWhenPythonFails) {
  FakeHost host;
  PythonServer server(host);
  for (const char* program : {"/none/python3", "/bin/false"}) {
    const auto answer = server.compile({program, "/", "4.8.1"}, "sm_90a", "/", std::chrono::seconds(60));
    ASSERT_TRUE(answer.ok());
    EXPECT_FALSE(*answer) << program;
  }
}

// Programs in place of Python, which reply to each line on descriptor 3.
class ScriptedServerTest : public testing::Test {
 protected:
  std::optional<int> compile(const std::string& script, const std::string& arch = "sm_90a") {
    folder.write("python3", "#!/bin/sh\n" + script + "\n").value();
    EXPECT_EQ(chmod(python.program.c_str(), 0700), 0);
    return again(arch);
  }
  std::optional<int> again(const std::string& arch = "sm_90a") {
    return server.compile(python, arch, "/", std::chrono::seconds(60)).value();
  }

  PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  const Python python = {folder.path() + "/python3", folder.path() + "/packages", "4.8.1"};
  FakeHost host;
  PythonServer server{host};
};

TEST_F(ScriptedServerTest, IgnoresStandardOutput) {
  EXPECT_EQ(compile("echo 7; echo 8 >&2; while read line <&3; do echo 9; echo 5 >&3; done"), 5);
  EXPECT_EQ(again(), 5);
}

TEST_F(ScriptedServerTest, RestartsWhenPackagesChange) {
  const std::string record = "packages/nvidia_cutlass_dsl-4.8.1.dist-info/RECORD";
  folder.write(record, "one").value();
  const std::string script =
      "n=$(cat " + folder.path() + "/" + record + " | wc -c); while read line <&3; do echo $n >&3; done";
  EXPECT_EQ(compile(script), 3);
  EXPECT_EQ(again(), 3);
  folder.write(record, "another").value();
  EXPECT_EQ(again(), 7) << "the server that has imported the old packages";
}

TEST_F(ScriptedServerTest, HidesUserVariables) {
  setenv("CUTE_DSL_ARCH", "sm_100a", /*overwrite=*/1);
  setenv("CUTE_DSL_COMPILER_OPT", "opt-level=0", /*overwrite=*/1);
  const std::string seen = folder.path() + "/seen";
  EXPECT_EQ(compile("/usr/bin/env > " + seen + "; read line <&3; echo 0 >&3"), 0);
  unsetenv("CUTE_DSL_ARCH");
  unsetenv("CUTE_DSL_COMPILER_OPT");
  const std::string variables = read_file(seen).value();
  EXPECT_THAT(variables, HasSubstr("CUTE_DSL_ARCH=sm_90a\n"));
  EXPECT_THAT(variables, testing::Not(HasSubstr("sm_100a")));
  EXPECT_THAT(variables, testing::Not(HasSubstr("CUTE_DSL_COMPILER_OPT")));
}

TEST_F(PythonServerTest, IsKilledOnTimeout) {
  const PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  folder.write("python3", "#!/bin/sh\nsleep 600\n").value();
  ASSERT_EQ(chmod((folder.path() + "/python3").c_str(), 0700), 0);
  FakeHost host;
  PythonServer server(host);
  const auto answer =
      server.compile({folder.path() + "/python3", "/", "4.8.1"}, "sm_90a", "/", std::chrono::seconds(1));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(answer.error().message, HasSubstr("did not end within 1 s"));
}

}  // namespace
}  // namespace kmux::cutedsl
