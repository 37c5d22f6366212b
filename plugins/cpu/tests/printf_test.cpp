// printf in kernels of dialect cuda: the output of threads, and its lines.
#include <algorithm>
#include <cinttypes>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_output.h"
#include "checked_kernel.h"

namespace kmux::cpu {
namespace {

using Lines = std::vector<std::string>;

// Returns the lines that the kernel prints, sorted: threads may print in any order.
Lines printed(CheckedKernel kernel, const Options& options) {
  kernel.options = options;
  Status status = Ok{};
  std::istringstream text(captured_stdout([&] {
    const auto result = kernel();
    if (!result.ok()) status = result.error();
  }));
  EXPECT_TRUE(status.ok()) << status.error().explain();
  Lines lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

class PrintfTest : public testing::TestWithParam<Options> {};
INSTANTIATE_TEST_SUITE_P(Ways, PrintfTest,
                         testing::Values(Options{{"tier", "fast"}}, Options{{"tier", "full"}},
                                         Options{{"check", "on"}}));

TEST_P(PrintfTest, PrintsFromEveryThread) {
  const CheckedKernel kernel{.source = R"(#include <cstdio>
__global__ void k(const float* x, float* y, int n) {
  printf("block %d thread %u x %.2f\n", blockIdx.x, threadIdx.x, x[threadIdx.x] / 4);
})",
                             .block = {40},
                             .grid = {Expr(2)}};
  Lines wanted;
  for (int i = 0; i < 80; ++i) {
    char line[80];
    std::snprintf(line, sizeof line, "block %d thread %d x %.2f", i / 40, i % 40, i % 40 / 4.0);
    wanted.emplace_back(line);
  }
  std::ranges::sort(wanted);
  EXPECT_EQ(printed(kernel, GetParam()), wanted);
}

TEST_P(PrintfTest, PrintsFromDivergentThreads) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  for (unsigned i = 0; i < threadIdx.x % 4; ++i)
    if (threadIdx.x > 60) printf("%d of %d\n", i, (int)threadIdx.x);
})"};
  EXPECT_EQ(printed(kernel, GetParam()), (Lines{"0 of 61", "0 of 62", "0 of 63", "1 of 62", "1 of 63", "2 of 63"}));
}

TEST_P(PrintfTest, SupportsEachConversion) {
  const CheckedKernel kernel{.source = R"(__device__ const char* word(int i) { return i == 0 ? "none" : "one"; }
__global__ void k(const float* x, float* y, int n) {
  const int t = threadIdx.x;
  printf("a %d %5d|%-5d|%05d\n", t - 1, t, t, t);
  printf("b %u %x %X\n", 0xfffffff0u + t, 0xab00 + t, 0xab00 + t);
  printf("c %ld %lld %llu\n", -5L - t, -(1LL << 40) - t, (1ULL << 63) + t);
  printf("d %f %.3f %e %g\n", x[t] + 0.5f, 1.0 / 3, 12345.678, 1e-10);
  printf("e %s %c 100%%\n", word(t), 'p' + t);
  printf("f %p\n", (void*)(0x1000L + t));
  printf("g %d %d %d %d %d %d %d %d %.1f %.1f\n", t, 1, 2, 3, 4, 5, 6, 7, x[t], 9.5);
})",
                             .block = {2}};
  EXPECT_EQ(
      printed(kernel, GetParam()),
      (Lines{"a -1     0|0    |00000", "a 0     1|1    |00001", "b 4294967280 ab00 AB00", "b 4294967281 ab01 AB01",
             "c -5 -1099511627776 9223372036854775808", "c -6 -1099511627777 9223372036854775809",
             "d 0.500000 0.333 1.234568e+04 1e-10", "d 1.500000 0.333 1.234568e+04 1e-10", "e none p 100%",
             "e one q 100%", "f 0x1000", "f 0x1001", "g 0 1 2 3 4 5 6 7 0.0 9.5", "g 1 1 2 3 4 5 6 7 1.0 9.5"}));
}

}  // namespace
}  // namespace kmux::cpu
