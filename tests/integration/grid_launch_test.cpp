// Launches of kernels of dialect cuda on this machine's processor, through the public interface.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/environment.h"
#include "kmux/executor.h"
#include "kmux/launch_interrupt.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "allocations.h"
#include "process_end/grid_program.h"

namespace kmux {
namespace {

using testing::Each;
using testing::HasSubstr;

Result<Shared<Runtime>> runtime_with(const std::string& threads) {
  const Environment environment = Runtime::default_runtime().value()->environment();
  Options options = environment.plugin_options;
  options["cpu.threads"] = threads;
  return Runtime::create(environment, {.environment_path = environment.plugin_path, .plugin_options = options});
}

Result<Kernel> counting(Runtime& runtime) { return compile(runtime, counting_on_grid(), {.execution_backend = "cpu"}); }

TEST(GridLaunchTest, RunsOnApplicationThreads) {
  const auto runtime = runtime_with("3").value();
  const Kernel kernel = counting(*runtime).value();
  std::vector<unsigned> asked;
  std::atomic<int> calls{0};
  set_executor([&](unsigned threads, const std::function<void()>& work) {
    asked.push_back(threads);
    std::thread other([&] { work(), ++calls; });
    work(), ++calls;
    other.join();
  });
  EXPECT_TRUE(call_counting(kernel));
  EXPECT_TRUE(call_counting(kernel));
  set_executor({});
  EXPECT_EQ(calls, 4);
  EXPECT_THAT(asked, Each(3)) << "as many as option cpu.threads says";
  EXPECT_TRUE(call_counting(kernel));
  EXPECT_EQ(calls, 4) << "an executor was called that is in force no more";
}

constexpr const char* kSpin = R"(
__global__ void spin(int* y, int turns) {
  unsigned state = blockIdx.x;
  for (int i = 0; i < turns; ++i) state = state * 1664525u + (state >> 7);
  y[blockIdx.x] = state;
})";

/// Returns a program in which parameter `turns` determines the time of a block: 1000 turns take some microseconds.
Program spin_on_grid() {
  ProgramBuilder builder("spin");
  const Expr n = builder.symbol("n");
  builder.buffer("Y", {.dtype = dtype::kInt32, .shape = {n}, .inout = true}).scalar("turns", dtype::kInt32);
  builder.variant("cuda").source("spin.cu", kSpin);
  builder.launch("spin").grid({n}).block({1}).args({"Y", "turns"});
  return builder.build().value();
}

Status call_spin(const Kernel& kernel, std::int64_t blocks, std::int32_t turns) {
  std::vector<std::int32_t> y(static_cast<std::size_t>(blocks));
  return kernel.launch({Tensor::borrow(y.data(), {blocks}, dtype::kInt32), turns});
}

TEST(GridLaunchTest, EndsLongLaunchWhenInterrupted) {
  const Kernel kernel =
      compile(*Runtime::default_runtime().value(), spin_on_grid(), {.execution_backend = "cpu"}).value();
  std::atomic<int> calls{0};
  set_launch_interrupt([&calls] { return ++calls == 3; });
  const Status ended = call_spin(kernel, 100000, 100000);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(ended.error().message, HasSubstr("the launch was interrupted"));
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(call_spin(kernel, 1000, 1));
  set_launch_interrupt([]() -> bool { throw std::runtime_error("no more"); });
  EXPECT_EQ(call_spin(kernel, 100000, 100000).error().code, ErrorCode::kCancelled) << "an exception interrupts, too";
  set_launch_interrupt({});
  EXPECT_TRUE(call_spin(kernel, 1000, 1000)) << "longer than 20 ms";
}

TEST(GridLaunchTest, ThrowingExecutorFallsBackToCaller) {
  const auto runtime = runtime_with("2").value();
  const Kernel kernel = counting(*runtime).value();
  set_executor([](unsigned, const std::function<void()>&) { throw std::runtime_error("no threads today"); });
  EXPECT_TRUE(call_counting(kernel));
  set_executor({});
}

TEST(GridLaunchTest, RejectsInvalidThreadCount) {
  for (const char* const wrong : {"0", "513", "many", ""}) {
    const auto runtime = runtime_with(wrong);
    const auto kernel = runtime ? counting(**runtime) : Result<Kernel>(runtime.error());
    ASSERT_FALSE(kernel.ok()) << wrong;
    EXPECT_THAT(kernel.error().explain(), HasSubstr("threads")) << wrong;
  }
}

TEST(GridLaunchTest, WarmLaunchAllocatesNothing) {
  const auto runtime = runtime_with("4").value();
  const Kernel kernel = counting(*runtime).value();
  ASSERT_TRUE(kernel.await_best());
  ASSERT_TRUE(kernel.warm(0));
  std::vector<std::int32_t> y(4000 * 64);
  const Tensor tensor = Tensor::borrow(y.data(), {4000 * 64}, dtype::kInt32);
  const std::vector<Arg> args = {tensor};
  ASSERT_TRUE(kernel.launch(args));
  const std::size_t before = test::allocations();
  bool all_ok = true;
  for (int i = 0; i < 20; ++i) all_ok = kernel.launch(args).ok() && all_ok;
  EXPECT_TRUE(all_ok);
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace kmux
