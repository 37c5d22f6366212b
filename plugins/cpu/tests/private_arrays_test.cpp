// Per-thread arrays that are larger than the launching thread's stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/small_stack.h"
#include "sizes.h"
#include "workbench.h"

namespace kmux::cpu {
namespace {

using testing::HasSubstr;

constexpr int kThreads = 64;

Program program_of(const std::string& source, int block) {
  ProgramBuilder builder("sample");
  builder.pointer("x").pointer("y");
  builder.scalar("n", dtype::kInt32);
  builder.variant("cuda").source("k.cu", source);
  builder.launch("k").grid({Expr(kThreads / block)}).block({Expr(block)}).args({"x", "y", "n"});
  return builder.build().value();
}

Result<std::vector<int>> run_array(const std::string& source, int block, const Options& options) {
  KMUX_ASSIGN(LoadedKernel kernel, common_bench().load(program_of(source, block), options));
  std::vector<int> x(kThreads);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 37 % 64);
  std::vector<int> y(kThreads, -1);
  Status status = Ok{};
  on_small_stack([&] {
    status = kernel({slot(x.data()), slot(y.data()), slot(std::int64_t{kThreads})});
    return 0;
  });
  KMUX_TRY(std::move(status));
  return y;
}

// Returns a kernel with an array of `size` integers per thread, whose loops are not unrolled. `between` is placed
// between its writes and reads.
std::string kernel_of(int size, const std::string& between, const std::string& array) {
  return "__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
         "__global__ void k(const int* x, int* y, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x, size = " +
         std::to_string(size) + ";\n  " + array +
         "\n  for (int j = 0; j < size - 64 + n; ++j) a[j] = x[(i + j) & 63] + j;\n  " + between +
         "\n  int sum = 0;\n"
         "  for (int j = 0; j < 50; ++j) sum += a[(unsigned)(sum * 7 + i + j * x[j]) % size];\n"
         "  y[i] = sum;\n}";
}

std::vector<int> expected(int size) {
  std::vector<int> y(kThreads);
  for (unsigned i = 0; i < y.size(); ++i) {
    unsigned sum = 0;
    for (unsigned j = 0; j < 50; ++j) {
      const unsigned at = (sum * 7 + i + j * (j * 37 % 64)) % static_cast<unsigned>(size);
      sum += (i + at) % 64 * 37 % 64 + at;
    }
    y[i] = static_cast<int>(sum);
  }
  return y;
}

struct Way {
  const char* name;
  const char* between;
  const char* array = "int a[size];";
  int block = 32;
  Options options = {};
};

class PrivateArraysTest : public testing::TestWithParam<Way> {};

// Returns array sizes in elements: for the reduced test one just above the stack's limit, and the largest.
std::vector<int> sizes() {
  return has_all_tests() ? std::vector{256, 1791, 8192, 32768, 131072} : std::vector{1791, 131072};
}

TEST_P(PrivateArraysTest, DoNotUseCallerStack) {
  const Way& way = GetParam();
  for (const char* const tier : {"fast", "full"}) {
    for (const int size : sizes()) {
      Options options = way.options;
      options["tier"] = tier;
      const auto result = run_array(kernel_of(size, way.between, way.array), way.block, options);
      ASSERT_TRUE(result.ok()) << result.error().explain();
      EXPECT_EQ(*result, expected(size)) << size << " " << tier;
    }
  }
}

const Way kWays[] = {
    {"lanes", ""},
    {"barrier_of_one_warp", "__syncthreads();"},
    {"barrier_in_step", "__syncthreads();", "int a[size];", 64},
    {"warps", "", "int a[size];", 64},
    {"aligned", "", "__align__(256) int a[size];", 64},
    {"partial_warp", "__syncthreads();", "int a[size];", 16},
    {"fibers", "y[i] = f(5);"},
    {"fibers_with_barrier", "y[i] = f(5); __syncthreads();", "int a[size];", 64},
    {"chosen_size", "", "int* a = (int*)alloca(4 * (size + x[0]));"},
    {"checked", "__syncthreads();", "int a[size];", 32, {{"check", "on"}}},
};

INSTANTIATE_TEST_SUITE_P(, PrivateArraysTest, testing::ValuesIn(kWays), [](const auto& one) { return one.param.name; });

// An unrolled loop keeps its array elements in the function's frame, whose size is only known after code generation.
TEST(PrivateArrayFramesTest, UnrolledLoopsDoNotUseCallerStack) {
  const std::string source = R"(__global__ void k(const int* x, int* y, int n) {
  int a[96];
  const int t = threadIdx.x;
  for (int i = 0; i < 96; ++i) a[(i * 7 + t) % 96] = i + n;
  float sum = 0;
  for (int i = 0; i < 96; ++i) sum += a[(i * 5 + n) % 96];
  y[blockIdx.x * 32 + t] = sum;
})";
  for (const char* const tier : {"fast", "full"}) {
    const auto result = run_array(source, 32, {{"tier", tier}});
    ASSERT_TRUE(result.ok()) << result.error().explain();
    EXPECT_EQ(*result, std::vector<int>(kThreads, 95 * 48 + 96 * kThreads)) << tier;
  }
}

TEST(PrivateArrayLimitsTest, RejectsArraysAboveGpuLimit) {
  const std::string large = kernel_of(131073, "", "int a[size];");
  for (const char* const check : {"off", "on"}) {
    const Error error = common_bench().failure(program_of(large, 32), {{"check", check}});
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_EQ(error.message,
              "kernel \"k\" has arrays of 524292 bytes for each thread (there are 524288 bytes, as on a GPU). Use "
              "smaller ones, or memory of a tensor or workspace.");
  }
}

TEST(PrivateArrayLimitsTest, ErrorNamesOwningFunction) {
  const std::string source =
      R"(__device__ int f(const int* x) { int a[200000]; for (int& one : a) one = *x++; return a[x[0]]; }
__global__ void k(const int* x, int* y, int n) { y[0] = f(x); })";
  const Error error = common_bench().failure(program_of(source, 32));
  EXPECT_THAT(error.message, HasSubstr("800000 bytes for each thread, in function \"f(int const*)\""));
}

TEST(PrivateArrayLimitsTest, OversizedDynamicArrayFailsLaunch) {
  const auto result = run_array(kernel_of(131072 * 4, "", "int* a = (int*)alloca(4 * (size + x[0]));"), 32, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(result.error().message, HasSubstr("(function \"k\" has an array of 2097152 bytes; block (0, 0, 0)"));
}

TEST(PrivateArrayLimitsTest, RecursionWithLargeArraysFailsLaunch) {
  const std::string source = R"(__device__ int g(int n, const int* x) {
  int a[25000];
  for (int j = 0; j < 25000; ++j) a[j] = x[j & 63];
  return a[n] + (n == 99 ? 0 : g(n + x[0] + 1, x)) + a[x[n & 63]];
}
__global__ void k(const int* x, int* y, int n) { y[threadIdx.x] = g(n % 2, x); })";
  const auto result = run_array(source, 32, {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message,
              HasSubstr("KiB of stack of a thread (function \"g(int, int const*)\" calls itself"));
}

}  // namespace
}  // namespace kmux::cpu
