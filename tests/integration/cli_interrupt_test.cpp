// Ctrl-C while a kernel runs on this machine's processor.
#include <chrono>

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

constexpr const char* kEndless = R"(//! kmux
//! kernel wait(inout y: f32[n: i32])
//!   example n = 64
//!   launch wait<<<1, 64>>>(y, n)
__global__ void wait(float* y, int n) {
  while (atomicAdd(&y[threadIdx.x], 1) < n * 1e30f) {}
}
)";

TEST(CliInterruptTest, StopsRunWhileKernelRuns) {
  const CliSession session;
  session.write("endless.cu", kEndless);
  const std::string kmux = std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux";
  // On an idle machine, compiling takes half a second of these two.
  Command command{.argv = {"timeout", "-s", "INT", "-k", "20", "2", kmux, "run", "endless.cu", "--backend", "cpu"},
                  .working_directory = session.folder().string(),
                  .environment = {{"KMUX_DISABLE_CACHE", "1"}}};
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult ended = kmux::run(command).value();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(ended.exit_code, 124) << "timeout has sent the signal, and no second one";
  EXPECT_LT(took.count(), 12) << ended.standard_error;
}

constexpr const char* kManyBlocks = R"(//! kmux
//! kernel spin(inout y: i32[n: i32])
//!   example n = 1000000
//!   launch spin<<<n, 1>>>(y)
__global__ void spin(int* y) {
  unsigned state = blockIdx.x;
  for (int i = 0; i < 1000000; ++i) state = state * 1664525u + (state >> 7);
  y[blockIdx.x] = state;
}
)";

// One Ctrl-C suffices, although the measured kernel would take many minutes.
TEST(CliInterruptTest, EndsBenchWhileKernelRuns) {
  const CliSession session;
  session.write("long.cu", kManyBlocks);
  const std::string kmux = std::string(KMUX_TEST_BUILD_DIR) + "/bin/kmux";
  Command command{.argv = {"timeout", "--preserve-status", "-s", "INT", "-k", "60", "3", kmux, "bench", "long.cu",
                           "--backends", "cpu"},
                  .working_directory = session.folder().string(),
                  .environment = {{"KMUX_DISABLE_CACHE", "1"}}};
  const ProcessResult ended = kmux::run(command).value();
  EXPECT_EQ(ended.exit_code, 130) << ended.standard_error;
}

}  // namespace
}  // namespace kmux::test
