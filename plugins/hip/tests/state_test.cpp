// Variables that kernels write: each compiled kernel has its own, and code without them is compiled and loaded once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/registry.h"

#include "fake_hip.h"

namespace kmux {
namespace {

class HipStateTest : public testing::Test {
 protected:
  HipStateTest() {
    RegistryOptions registry;
    registry.plugin_options = {{"hip.library", FakeHip::path()}, {"hip.engine", "hiprtc"}};
    runtime_ = Runtime::create({}, registry).value();
  }

  Kernel compiled(const std::string& source) {
    ProgramBuilder builder("count");
    builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}}).variant("hip").source("count.hip", source);
    builder.launch("count").grid({1}).block({32}).args({"x"});
    return compile(*runtime_, builder.build().value(), {.execution_backend = "hip"}).value();
  }

  // Returns the first element after a call.
  static float called(const Kernel& kernel) {
    const Tensor x = Tensor::zeros({32}, dtype::kFloat32).value().to(kernel.device()).value();
    kernel.launch({x}).value();
    return x.to(Device{}).value().data_as<float>()[0];
  }

  FakeHip fake_ = FakeHip::load();
  Shared<Runtime> runtime_;
};

constexpr const char* kCounting = R"(
__device__ int counter;
extern "C" __global__ void count(float* x) { if (threadIdx.x == 0) x[0] = ++counter; }
)";
constexpr const char* kConstant = R"(
__constant__ float weights[2] = {2, 3};
extern "C" __global__ void count(float* x) { x[threadIdx.x] += weights[threadIdx.x & 1]; }
)";

TEST_F(HipStateTest, EqualKernelsKeepSeparateVariables) {
  const Kernel one = compiled(kCounting);
  EXPECT_EQ(called(one), 1);
  EXPECT_EQ(called(one), 2);
  const Kernel other = compiled(kCounting);
  EXPECT_EQ(called(other), 1);
  EXPECT_EQ(called(one), 3);
}

TEST_F(HipStateTest, StatelessCodeIsLoadedOnce) {
  const auto before = fake_->live().modules;
  const Kernel one = compiled(kConstant);
  EXPECT_EQ(called(one), 2);
  const auto loaded = fake_->live().modules;
  EXPECT_GT(loaded, before);
  const Kernel other = compiled(kConstant);
  EXPECT_EQ(called(other), 2);
  EXPECT_EQ(fake_->live().modules, loaded);
}

}  // namespace
}  // namespace kmux
