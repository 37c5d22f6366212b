// Programs as text at the command line: show, fmt and pack, running one file, and errors in a compiler's format.
#include <fstream>
#include <iterator>

#include "kmux/json.h"

#include "integration/cli_session.h"
#include "needs.h"

namespace kmux::test {
namespace {

constexpr int kDifference = 1;
constexpr int kBadProgram = 3;
constexpr int kNoBackend = 4;

constexpr const char* kSaxpy = R"(//! kmux
//! kernel saxpy(a: f32, x: f32[n: i32], inout y: f32[n])
//!   example n = 1000, a = 1.5
//!   launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";

class CliTextTest : public testing::Test {
 protected:
  CliTextTest() { session_.write("saxpy.cu", kSaxpy); }
  std::string content_of(const std::string& name) const {
    std::ifstream file(session_.folder() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  CliSession session_;
};

TEST_F(CliTextTest, RunsSourceAndTextFile) {
  session_.write("check.kmux",
                 "kernel check(x: f32[n], out y: f32[n])\n  sources \"check.c\"\n  launch check(x, y, n)\n");
  session_.write("check.c",
                 "void check(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
  for (const char* program : {"saxpy.cu", "check.kmux"}) {
    const ProcessResult run = session_.run({"run", program, "--backend", "cpu", "--in", "*=ones", "--symbol", "n=8"});
    EXPECT_EQ(run.exit_code, 0) << run.standard_error;
    EXPECT_THAT(run.standard_output, HasSubstr("on cpu"));
  }
}

TEST_F(CliTextTest, AcceptsPythonFile) {
  const std::string source = R"(#!/usr/bin/env python3
#! kmux
#! kernel scale(inout x: f32[n], by: f32)
#!   example n = 1000, by = 2
#!   launch scale<<<ceildiv(n, 128), 128>>>(x, by)
import cutlass
import cutlass.cute as cute

@cute.kernel
def scale(x: cute.Tensor, by: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        x[i] = x[i] * by
)";
  session_.write("scale.py", source);
  EXPECT_EQ(session_.run({"show", "scale.py"}).standard_output,
            "kernel scale(inout x: f32[n], by: f32)\n  example n = 1000, by = 2\n  sources \"scale.py\"\n"
            "  launch scale<<<ceildiv(n, 128), 128>>>(x, by)\n");
  EXPECT_THAT(session_.run({"show", "scale.py", "--json"}).standard_output, HasSubstr("\"dialect\": \"cutedsl\""));
  EXPECT_EQ(session_.run({"fmt", "--check", "scale.py"}).exit_code, 0);
  EXPECT_EQ(session_.run({"pack", "scale.py"}).exit_code, 0);
  // Without a device, the error is about the missing device, not about the program.
  const ProcessResult run = session_.run({"run", "scale.py", "--backend", "cutedsl"});
  EXPECT_THAT(run.exit_code, testing::AnyOf(0, kNoBackend)) << run.standard_error;
  const ProcessResult compiled = session_.run({"compile", "scale.py", "--target", "cuda:sm_90a"});
  if (compiled.standard_error.find("no Python with CuTe DSL") != std::string::npos)
    GTEST_SKIP() << needs("CuTe DSL", compiled.standard_error);
  EXPECT_EQ(compiled.exit_code, 0) << compiled.standard_error;
  EXPECT_THAT(compiled.standard_output, HasSubstr("compiled for cuda:sm_90a with cutedsl"));
}

TEST_F(CliTextTest, ShowsEveryProgramForm) {
  const ProcessResult source = session_.run({"show", "saxpy.cu"});
  EXPECT_THAT(source.standard_output, AllOf(HasSubstr("kernel saxpy("), HasSubstr("  sources \"saxpy.cu\"\n")));
  const ProcessResult json = session_.run({"show", "scale/scale.kmux.json"});
  EXPECT_THAT(json.standard_output, HasSubstr("scale(x"));
  session_.write("scale/shown.kmux", json.standard_output);
  EXPECT_EQ(session_.run({"show", "scale/shown.kmux"}).standard_output, json.standard_output);
  EXPECT_EQ(parse_json(session_.run({"show", "scale/shown.kmux", "--json"}).standard_output).value(),
            parse_json(session_.run({"show", "scale/scale.kmux.json", "--json"}).standard_output).value());
}

TEST_F(CliTextTest, PacksProgramAndKeepsOtherFiles) {
  const ProcessResult packed = session_.run({"pack", "saxpy.cu"});
  EXPECT_EQ(packed.exit_code, 0) << packed.standard_error;
  EXPECT_THAT(content_of("saxpy.kmux.json"), HasSubstr("\"sha256\""));
  EXPECT_EQ(content_of("saxpy.cu"), kSaxpy);
  EXPECT_EQ(session_.run({"show", "saxpy.kmux.json"}).standard_output,
            session_.run({"show", "saxpy.cu"}).standard_output);
  EXPECT_EQ(session_.run({"pack", "saxpy.cu"}).exit_code, 0) << "over what it wrote itself";
  session_.write("mine.kmux.json", "mine");
  const ProcessResult refused = session_.run({"pack", "saxpy.cu", "-o", "mine.kmux.json"});
  EXPECT_EQ(refused.exit_code, kBadProgram);
  EXPECT_THAT(refused.standard_error, HasSubstr("it is there and is not a program"));
  EXPECT_EQ(session_.run({"pack", "saxpy.cu", "-o", "saxpy.cu"}).exit_code, kBadProgram);
  EXPECT_THAT(session_.run({"pack", "saxpy.cu", "-o", "saxpy.kmux"}).standard_error, HasSubstr("the name of a text"));
}

TEST_F(CliTextTest, FormatsInPlaceAndChecks) {
  std::string untidy = kSaxpy;
  untidy.replace(untidy.find("ceildiv(n, 256)"), 15, "ceildiv( n,256 )");
  session_.write("untidy.cu", untidy);
  const ProcessResult check = session_.run({"fmt", "--check", "saxpy.cu", "untidy.cu"});
  EXPECT_EQ(check.exit_code, kDifference);
  EXPECT_EQ(check.standard_output, "untidy.cu: not in canonical form\n");
  EXPECT_EQ(content_of("untidy.cu"), untidy);
  EXPECT_EQ(session_.run({"fmt", "saxpy.cu", "untidy.cu"}).exit_code, 0);
  EXPECT_EQ(content_of("untidy.cu"), kSaxpy);
  session_.write("untidy.cu", untidy);
  std::filesystem::create_symlink("untidy.cu", session_.folder() / "link.cu");
  EXPECT_EQ(session_.run({"fmt", "link.cu"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(session_.folder() / "link.cu"));
  EXPECT_EQ(content_of("untidy.cu"), kSaxpy);
  EXPECT_THAT(session_.run({"fmt", "scale/scale.kmux.json"}).standard_error,
              HasSubstr("has no text form (it is JSON)"));
}

TEST_F(CliTextTest, ReportsAllErrorsWithPositions) {
  session_.write("wrong.kmux", "kernel k(x: f31[n])\n  sorces \"k.cu\"\n  launch k<<<n, 1>>>(x)\n");
  for (const char* command : {"show", "run", "pack", "fmt", "bench", "compile"}) {
    const ProcessResult result = session_.run({command, "wrong.kmux"});
    EXPECT_EQ(result.exit_code, kBadProgram);
    EXPECT_EQ(result.standard_output, "");
    EXPECT_THAT(result.standard_error, testing::StartsWith("wrong.kmux:1:13: error: "));
    EXPECT_THAT(
        result.standard_error,
        AllOf(HasSubstr("wrong.kmux:1:13: error: unknown dtype \"f31\". Did you mean 'f32'?"),
              HasSubstr("wrong.kmux:2:3: error: expected a step: launch, fill, if or for (found \"sorces\"). Did you "
                        "mean 'sources'?\n  sorces \"k.cu\"\n  ^~~~~~\n")));
  }
}

}  // namespace
}  // namespace kmux::test
