// `kmux run --check-memory` finds memory errors of GPU kernels on any machine.
#include <csignal>

#include "kmux/builder.h"
#include "kmux/json.h"
#include "kmux/program.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

const std::string kSaxpy = KMUX_TEST_SOURCE_DIR "/examples/portable/saxpy.kmux.json";
const std::vector<std::string> kArguments = {"--check-memory", "--in", "*=ones"};

ProcessResult check(const CliSession& session, const std::string& program, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", program};
  words.insert(words.end(), kArguments.begin(), kArguments.end());
  words.insert(words.end(), more.begin(), more.end());
  return session.run(words);
}

// Saves a program with one kernel, `k(const float* x, float* y, int n)`.
void save(const CliSession& session, const std::string& dialect, const std::string& file, const std::string& source) {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.output("y", dtype::kFloat32, {n});
  builder.variant(dialect).source(file, source);
  LaunchBuilder launch = builder.launch("k");
  if (dialect != "c") launch.grid({Expr(2)}).block({Expr(32)});
  launch.args({"x", "y"}).arg(n);
  ASSERT_TRUE(save_program(builder.build().value(), session.folder() / "sample.kmux.json").ok());
}

TEST(CliCheckMemoryTest, CrashMessageSuggestsCheckMemory) {
  const CliSession session;
  session.write("far.cu",
                "//! kmux\n//! kernel far(inout x: f32[n: i32])\n//!   launch far<<<1, 1>>>(x, n)\n"
                "__global__ void far(float* x, int n) { x[1ll << 40] = n; }\n");
  const ProcessResult result = session.run({"run", "far.cu", "--backend", "cpu", "--set", "n=8"});
  EXPECT_EQ(result.exit_code, 128 + SIGSEGV);
  EXPECT_THAT(result.standard_error, testing::AllOf(testing::HasSubstr("kernel \"far\" ended this process"),
                                                    testing::HasSubstr("made up: x=random:1"),
                                                    testing::HasSubstr("Run it with --check-memory")));
}

TEST(CliCheckMemoryTest, ChoosesCudaVariantOverHostVariant) {
  const CliSession session;
  const ProcessResult result = check(session, kSaxpy, {"--symbol", "n=1000", "--scalar", "a=2", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  const Json json = parse_json(result.standard_output).value();
  const Json& chosen = json.find("resolution")->find("candidates")->as_array()->front();
  EXPECT_EQ(*chosen.find("backend")->as_string(), "cpu");
  EXPECT_EQ(*chosen.find("dialect")->as_string(), "cuda");
  EXPECT_EQ(*chosen.find("verdict")->as_string(), "chosen");
}

TEST(CliCheckMemoryTest, ReportsFaultWithSourceLine) {
  const CliSession session;
  save(session, "cuda", "k.cu", R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[threadIdx.x] = x[i];
  y[i] = all[31 - threadIdx.x];
})");
  const ProcessResult result = check(session, "sample.kmux.json", {"--symbol", "n=50"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.standard_error, HasSubstr("launch_failed"));
  EXPECT_THAT(result.standard_error, HasSubstr("reads 4 bytes at byte 200 of \"x\" (it has 200 bytes; block (1, 0, 0), "
                                               "thread (18, 0, 0), at k.cu:4)"));
  EXPECT_THAT(result.standard_error, HasSubstr("with no barrier between"));
}

TEST(CliCheckMemoryTest, RejectsProgramWithoutCudaKernels) {
  const CliSession session;
  save(session, "c", "k.c", "void k(const float* x, float* y, int n) { y[0] = x[0]; }");
  const ProcessResult result = check(session, "sample.kmux.json", {"--symbol", "n=4"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.standard_error,
              HasSubstr("unsupported: program \"sample\" cannot run with --check-memory (it checks kernels of dialect "
                        "cuda; the program's variants: c)"));
}

TEST(CliCheckMemoryTest, RejectsOtherBackend) {
  const CliSession session;
  const ProcessResult result = check(session, kSaxpy, {"--backend", "nvrtc"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.standard_error, HasSubstr("--check-memory and --backend nvrtc exclude each other"));
}

}  // namespace
}  // namespace kmux::test
