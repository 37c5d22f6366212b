#include "python_server.h"

#include <sys/stat.h>

#include <gmock/gmock.h>

#include "nvidia/library/parts.h"
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

TEST_F(PythonServerTest, CompilesAsAPythonOfItsOwnDoes) {
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

TEST(PythonServer, GivesNothingWhereItCannotStartOrDies) {
  FakeHost host;
  PythonServer server(host);
  for (const char* program : {"/none/python3", "/bin/false"}) {
    const auto answer = server.compile({program, "/", "4.8.1"}, "sm_90a", "/", std::chrono::seconds(60));
    ASSERT_TRUE(answer.ok());
    EXPECT_FALSE(*answer) << program;
  }
}

TEST(PythonServer, IsKilledWhenItTakesTooLong) {
  const PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  folder.write("python3", "#!/bin/sh\nsleep 600\n").value();
  ASSERT_EQ(chmod((folder.path() + "/python3").c_str(), 0700), 0);
  FakeHost host;
  PythonServer server(host);
  const auto answer =
      server.compile({folder.path() + "/python3", "/", "4.8.1"}, "sm_90a", "/", std::chrono::seconds(1));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("did not end within 1 s"));
}

}  // namespace
}  // namespace kmux::cutedsl
