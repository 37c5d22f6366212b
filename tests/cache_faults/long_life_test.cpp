// Properties that a long-lived process must keep: memory, descriptors and threads over many compilations, and right
// results while many threads call, others compile, and the cache evicts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

/// Returns y[i] = x[i] * factor + number, of dialect c; each number gives a different program.
Program scaling(int number) {
  const Expr n = Expr::symbol("n");
  Program program{.name = "scaling"};
  program.signature.params = {{"x", BufferParam{dtype::kInt64, {n}}}, {"y", BufferParam{dtype::kInt64, {n}}}};
  program.signature.symbols = {{"n", dtype::kInt64}};
  Variant variant{.dialect = "c"};
  variant.sources = {{"scaling.c",
                      "void scaling(const long long* x, long long* y, long long n) { for (long long i = 0; i < n; ++i) "
                      "y[i] = 3 * x[i] + " +
                          std::to_string(number) + "; }\n"}};
  variant.body.steps = {
      Launch{.kernel = "scaling", .args = {TensorArg{"x"}, TensorArg{"y"}, ExprArg{n, dtype::kInt64}}}};
  program.variants.push_back(std::move(variant));
  return program;
}

/// Calls the kernel of `scaling(number)`. Returns true if the result is right.
bool is_right(const Kernel& kernel, int number, std::vector<std::int64_t>& memory) {
  constexpr std::int64_t kElements = 8;
  memory.assign(2 * kElements, number);
  const Tensor x = Tensor::borrow(memory.data(), {kElements}, dtype::kInt64);
  const Tensor y = Tensor::borrow(memory.data() + kElements, {kElements}, dtype::kInt64);
  if (!kernel.launch({x, y})) return false;
  for (std::int64_t i = 0; i < kElements; ++i) {
    if (memory[static_cast<std::size_t>(kElements + i)] != 4 * std::int64_t{number}) return false;
  }
  return true;
}

struct Footprint {
  double resident_mib = 0;
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t threads = 0;

  /// Returns the minimum of many samples: the thread that trims the cache opens folders at any time.
  static Footprint at_rest() {
    Footprint least = now();
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const Footprint next = now();
      least = {std::min(least.resident_mib, next.resident_mib), std::min(least.descriptors, next.descriptors),
               std::min(least.threads, next.threads)};
    }
    return least;
  }

 private:
  static Footprint now() {
    std::ifstream statm("/proc/self/statm");
    std::size_t size = 0, resident = 0;
    statm >> size >> resident;
    return {static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20),
            entries("/proc/self/fd"), entries("/proc/self/task")};
  }

  static std::ptrdiff_t entries(const char* folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }
};

/// Returns the number of cycles: `usual`, or KMUX_CYCLES, which nightly runs set higher.
int cycles(int usual) {
  const char* const asked = std::getenv("KMUX_CYCLES");
  return asked != nullptr ? std::atoi(asked) : usual;
}

/// Runs `cycle` for `count` times. The footprint after two thirds of them must equal that at the end. The first cycles
/// fill bounded memory: the last compiled kernels, the pools of the compiler's allocator.
template <class Cycle>
void expect_flat(int count, const Cycle& cycle) {
  const int first = count / 3 * 2;
  for (int i = 0; i < first; ++i) cycle(i);
  const Footprint before = Footprint::at_rest();
  for (int i = first; i < count; ++i) cycle(i);
  const Footprint after = Footprint::at_rest();
  std::printf("bar rss_growth_pct %.1f %%\n", (after.resident_mib / before.resident_mib - 1) * 100);
  EXPECT_LE(after.resident_mib, before.resident_mib * 1.05);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
}

class LongLifeTest : public testing::Test {
 protected:
  TempFolder folder_{memory_folder()};
};

// Covers everything except the compiler, with a plugin that has none.
TEST_F(LongLifeTest, FootprintStaysFlatOverManyCompilations) {
  const RegistryOptions plugins{.search_path = {KMUX_TEST_PLUGIN_DIR "/null"}, .use_default_path = false};
  const Shared<Runtime> runtime = Runtime::create({.disable_cache = true}, plugins).value();
  expect_flat(cycles(10'000), [&](int i) {
    const auto kernel = compile(*runtime, scaling(i), {.execution_backend = "null"});
    ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  });
}

// Covers the compiler in this process, its code, and the cache on disk.
TEST_F(LongLifeTest, CompiledCodeIsReleased) {
  const Shared<Runtime> runtime = Runtime::create({.cache_dir = folder_.path(), .cache_max_bytes = "1M"}, {}).value();
  std::vector<std::int64_t> memory;
  expect_flat(cycles(600), [&](int i) {
    const Kernel kernel = compile(*runtime, scaling(i), {.execution_backend = "cpu"}).value();
    ASSERT_TRUE(is_right(kernel, i, memory));
  });
}

TEST_F(LongLifeTest, CallsStayCorrectDuringCompilationAndEviction) {
  constexpr int kThreads = 64, kCalls = 10'000, kKernels = 4;
  const Shared<Runtime> runtime = Runtime::create({.cache_dir = folder_.path(), .cache_max_bytes = "200K"}, {}).value();
  std::vector<Kernel> kernels;
  for (int i = 0; i < kKernels; ++i) {
    kernels.push_back(compile(*runtime, scaling(i), {.execution_backend = "cpu"}).value());
  }
  std::atomic<int> wrong{0}, compiled{0};
  std::atomic<bool> is_over{false};
  std::thread compiling([&] {
    std::vector<std::int64_t> memory;
    for (int i = kKernels; !is_over; ++i, ++compiled) {
      const auto kernel = compile(*runtime, scaling(i), {.execution_backend = "cpu"});
      if (!kernel || !is_right(*kernel, i, memory)) ++wrong;
    }
  });
  std::vector<std::thread> calling;
  for (int thread = 0; thread < kThreads; ++thread) {
    calling.emplace_back([&] {
      std::vector<std::int64_t> memory;
      for (int i = 0; i < kCalls; ++i) {
        if (!is_right(kernels[static_cast<std::size_t>(i % kKernels)], i % kKernels, memory)) ++wrong;
      }
    });
  }
  for (std::thread& thread : calling) thread.join();
  is_over = true;
  compiling.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(compiled, 0);
}

}  // namespace
}  // namespace kmux
