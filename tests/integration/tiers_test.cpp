// Kernels of the cpu backend that begin in the fast tier and get the full one while they are in use.
#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

#include "shared_cache.h"
#include "temp_folder.h"

namespace kmux {
namespace {

constexpr std::int64_t kCount = 1000;

/// Returns y[i] = sqrt(x[i]) * 3 + i, in exact single precision.
Program rooting(const std::string& name = "rooting") {
  ProgramBuilder builder(name);
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n});
  builder.variant("c").source("rooting.c",
                              "void rooting(const float* x, float* y, long long n) {\n"
                              "  for (long long i = 0; i < n; ++i) y[i] = __builtin_sqrtf(x[i]) * 3 + i;\n"
                              "}\n");
  builder.launch("rooting").args({"x", "y"}).arg(n, dtype::kInt64);
  return builder.build().value();
}

Tensor ramp() {
  const Tensor tensor = Tensor::empty({kCount}, dtype::kFloat32).value();
  for (std::int64_t i = 0; i < kCount; ++i) tensor.data_as<float>()[i] = static_cast<float>(i);
  return tensor;
}

std::vector<float> floats_of(const Tensor& tensor) {
  return {tensor.data_as<float>(), tensor.data_as<float>() + kCount};
}

/// A runtime with the plugins of this build and a separate cache.
class TiersTest : public testing::Test {
 protected:
  Shared<Runtime> runtime() const { return runtime_with_cache(folder_.path() / "cache"); }
  static CompileOptions in(const char* tier) { return {.target = "c", .options = {{"tier", tier}}}; }

  TempFolder folder_;
};

TEST_F(TiersTest, BothReturnSameBits) {
  const auto shared = runtime();
  const Tensor x = ramp();
  const Kernel fast = compile(*shared, rooting(), in("fast")).value();
  const Kernel full = compile(*shared, rooting(), in("full")).value();
  EXPECT_EQ(fast.tier(), "fast");
  EXPECT_EQ(full.tier(), "full");
  EXPECT_EQ(floats_of(fast(x).and_then(single).value()), floats_of(full(x).and_then(single).value()));
}

TEST_F(TiersTest, FullReplacesFastBetweenCalls) {
  const auto shared = runtime();
  const Tensor x = ramp();
  const Kernel kernel = compile(*shared, rooting(), {.target = "c"}).value();
  const std::vector<float> before = floats_of(kernel(x).and_then(single).value());
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(kernel.tier(), "full");
  EXPECT_EQ(floats_of(kernel(x).and_then(single).value()), before);
}

TEST_F(TiersTest, CallsContinueDuringSwitchToFull) {
  const auto shared = runtime();
  const Kernel kernel = compile(*shared, rooting(), {.target = "c"}).value();
  const Tensor x = ramp();
  const std::vector<float> expected = floats_of(kernel(x).and_then(single).value());
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::array<std::thread, 2> callers;
  for (std::thread& caller : callers) {
    caller = std::thread([&] {
      while (!done) wrong += floats_of(kernel(x).and_then(single).value()) == expected ? 0 : 1;
    });
  }
  EXPECT_TRUE(kernel.await_best().ok());
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(TiersTest, CachedFullTierIsUsedImmediately) {
  EXPECT_TRUE(compile(*runtime(), rooting(), in("full")).ok());
  const auto later = runtime();
  EXPECT_EQ(compile(*later, rooting(), {.target = "c"}).value().tier(), "full");
}

TEST_F(TiersTest, BackgroundCompileIsCached) {
  {
    const auto first = runtime();
    ASSERT_TRUE(compile(*first, rooting(), {.target = "c"}).value().await_best().ok());
  }
  const auto later = runtime();
  EXPECT_EQ(compile(*later, rooting(), {.target = "c"}).value().tier(), "full");
}

TEST_F(TiersTest, KernelsKeepTierAfterRuntimeIsReleased) {
  std::vector<Kernel> kernels;
  {
    const auto shared = runtime();
    for (int i = 0; i < 8; ++i) {  // usually some still wait for the better tier; improve_test.cpp guarantees it
      kernels.push_back(compile(*shared, rooting("rooting" + std::to_string(i)), {.target = "c"}).value());
    }
  }
  const Tensor x = ramp();
  const std::vector<float> expected = floats_of(kernels.front()(x).and_then(single).value());
  for (const Kernel& kernel : kernels) {
    const Status settled = kernel.await_best();
    EXPECT_EQ(settled.ok(), kernel.tier() == "full");
    EXPECT_EQ(floats_of(kernel(x).and_then(single).value()), expected);
  }
}

TEST_F(TiersTest, SameCallReturnsSameKernel) {
  const auto shared = runtime();
  const Program program = rooting();
  const Kernel first = compile(*shared, program, {.target = "c"}).value();
  ASSERT_TRUE(first.await_best().ok());
  EXPECT_EQ(&compile(*shared, program, {.target = "c"}).value().launcher(), &first.launcher());
  EXPECT_NE(&compile(*shared, program, {.target = "c", .use_cache = false}).value().launcher(), &first.launcher());
  EXPECT_NE(&compile(*shared, program, in("full")).value().launcher(), &first.launcher());
}

TEST_F(TiersTest, PluginUnloadsDespiteCachedKernels) {
  const auto shared = runtime();
  ASSERT_TRUE(compile(*shared, rooting(), in("full")).ok());
  const Status unloaded = shared->registry().unload("cpu");
  EXPECT_TRUE(unloaded.ok()) << unloaded.error().message;
}

// The process ends while better tiers are compiling or queued: in order, and without waiting for all of them.
TEST(TiersDeathTest, ProcessExitsWithPendingJobs) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        static const auto shared = Runtime::create({}, {}).value();
        static std::vector<Kernel> kernels;
        for (int i = 0; i < 20; ++i) {
          kernels.push_back(compile(*shared, rooting("rooting" + std::to_string(i)), {.target = "c"}).value());
        }
        std::fputs("compiled\n", stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "compiled");
}

}  // namespace
}  // namespace kmux
