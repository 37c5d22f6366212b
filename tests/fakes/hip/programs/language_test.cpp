// Other features of HIP C++, and launches of such kernels from bodies.
#include <cmath>

#include "kmux/json.h"

#include "hip_programs.h"

namespace kmux {
namespace {

using testing::Each;
using testing::ElementsAreArray;
using testing::FloatNear;
using testing::Pointwise;

class LanguageTest : public HipPrograms {};

const Expr kLanguageN = Expr::symbol("n");

ProgramBuilder one_vector(const std::string& name, const std::string& text, DType type = dtype::kFloat32) {
  ProgramBuilder builder(name);
  builder.symbol("n");
  builder.buffer("x", BufferParam{type, {kLanguageN}});
  with_source(builder, text);
  return builder;
}

TEST_F(LanguageTest, TemplateInstantiationsAreKernels) {
  ProgramBuilder builder = one_vector("scale", R"(
template <class T, int by>
__global__ void scale(T* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
)");
  builder.launch("scale<float, 3>").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x"}).arg(kLanguageN);
  builder.launch("scale<float, -2>").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x"}).arg(kLanguageN);
  const Kernel kernel = compiled(builder);
  std::vector<float> x = numbers(kOdd);
  const Tensor on_device = uploaded(kernel, {kOdd}, x);
  run(kernel, {on_device});
  for (float& value : x) value *= -6;
  EXPECT_THAT(downloaded<float>(on_device), ElementsAreArray(x));
}

TEST_F(LanguageTest, ComputesWithHalfPrecision) {
  ProgramBuilder builder = one_vector("halve", R"(
#include <hip/hip_fp16.h>
extern "C" __global__ void halve(half* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (half)((float)x[i] * 0.5f);
}
)",
                                      dtype::kFloat16);
  builder.launch("halve").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x"}).arg(kLanguageN);
  const Kernel kernel = compiled(builder);
  const Tensor x = uploaded(kernel, {3}, std::vector<std::uint16_t>{0x3c00, 0xc400, 0x0000});  // 1, -4, 0
  run(kernel, {x});
  EXPECT_THAT(downloaded<std::uint16_t>(x), ElementsAreArray({0x3800, 0xc000, 0x0000}));
}

TEST_F(LanguageTest, ShufflesWithinWavefront) {
  ProgramBuilder builder = one_vector("exchange", R"(
extern "C" __global__ void exchange(float* x) {
  float value = x[threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_xor(value, delta, 32);
  const float first = __shfl(x[threadIdx.x], 0, 32);
  x[threadIdx.x] = value + first;
}
)");
  builder.launch("exchange").grid({1}).block({128}).args({"x"});
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(128);
  const Tensor on_device = uploaded(kernel, {128}, x);
  run(kernel, {on_device});
  std::vector<float> expected;
  for (std::size_t i = 0; i < 128; ++i) {
    float sum = x[i / 32 * 32];
    for (std::size_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) sum += x[j];
    expected.push_back(sum);
  }
  EXPECT_THAT(downloaded<float>(on_device), Pointwise(FloatNear(1e-4F), expected));
}

// 32 or 64 threads, by the device.
TEST_F(LanguageTest, UsesDeviceWavefrontSize) {
  ProgramBuilder builder = one_vector("widest", R"(
extern "C" __global__ void widest(float* x) {
  float value = x[threadIdx.x];
  for (int delta = warpSize / 2; delta > 0; delta /= 2) value += __shfl_xor(value, delta);
  x[threadIdx.x] = value + warpSize;
}
)");
  builder.launch("widest").grid({1}).block({128}).args({"x"});
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(128);
  const Tensor on_device = uploaded(kernel, {128}, x);
  run(kernel, {on_device});
  const auto width =
      static_cast<std::size_t>(*kernel.device().properties().value().find("wavefront_size")->as_integer());
  ASSERT_TRUE(width == 32 || width == 64) << width;
  std::vector<float> expected;
  for (std::size_t i = 0; i < 128; ++i) {
    auto sum = static_cast<float>(width);
    for (std::size_t j = i / width * width; j < i / width * width + width; ++j) sum += x[j];
    expected.push_back(sum);
  }
  EXPECT_THAT(downloaded<float>(on_device), Pointwise(FloatNear(1e-3F), expected));
}

TEST_F(LanguageTest, IndexesThreeDimensions) {
  ProgramBuilder builder = one_vector("count", R"(
extern "C" __global__ void count(long long* x) {
  const long long column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const long long plane = blockIdx.z * blockDim.z + threadIdx.z;
  const long long width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  x[(plane * height + row) * width + column] = plane * 10000 + row * 100 + column;
}
)",
                                      dtype::kInt64);
  builder.launch("count").grid({2, 3, 4}).block({4, 3, 2}).args({"x"});
  const Kernel kernel = compiled(builder);
  const Tensor x = poisoned(kernel, {8 * 9 * 8}, dtype::kInt64);
  run(kernel, {x});
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 8 * 9 * 8; ++i) expected.push_back(i / 72 * 10000 + i / 8 % 9 * 100 + i % 8);
  EXPECT_THAT(downloaded<std::int64_t>(x), ElementsAreArray(expected));
}

TEST_F(LanguageTest, KeepsDoublePrecision) {
  ProgramBuilder builder = one_vector("roots", R"(
extern "C" __global__ void roots(double* x, double by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sqrt(x[i]) * by;
}
)",
                                      dtype::kFloat64);
  builder.scalar("by", dtype::kFloat64);
  builder.launch("roots").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x", "by"}).arg(kLanguageN);
  const Kernel kernel = compiled(builder);
  std::vector<double> x;
  for (int i = 0; i < 100; ++i) x.push_back(i);
  const Tensor on_device = uploaded(kernel, {100}, x);
  run(kernel, {on_device, 0.1});
  const std::vector<double> roots = downloaded<double>(on_device);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(roots[i], std::sqrt(x[i]) * 0.1, 1e-15);
}

TEST_F(LanguageTest, CompilesPlainCuda) {
  ProgramBuilder builder("plain");
  builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {kLanguageN}});
  builder.variant("cuda").header("one.h", "#define ONE 1\n").source("plain.cu", R"(
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include "one.h"
extern "C" __global__ void __launch_bounds__(64) plain(float* __restrict__ x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = __ldg(&x[i]) + ONE;
}
)");
  builder.launch("plain").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x"}).arg(kLanguageN);
  const Kernel kernel = compiled(builder);
  std::vector<float> x = numbers(kOdd);
  const Tensor on_device = uploaded(kernel, {kOdd}, x);
  run(kernel, {on_device});
  for (float& value : x) value += 1;
  EXPECT_THAT(downloaded<float>(on_device), ElementsAreArray(x));
}

constexpr const char* kAdd = R"(
extern "C" __global__ void add(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
)";

TEST_F(LanguageTest, RunsLoopsAndConditionsInBodies) {
  ProgramBuilder builder = one_vector("steps", kAdd);
  const Expr times = builder.scalar("times", dtype::kInt32);
  builder.scalar("by", dtype::kFloat32);
  const auto add = [](BodyBuilder& body) {
    body.launch("add").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x", "by"}).arg(kLanguageN);
  };
  BodyBuilder body = builder.body();
  body.fill("x", kLanguageN * 4);
  body.loop("i", 0, times, [&](BodyBuilder& inner, const Expr& i) {
    inner.when(eq(floormod(i, 2), 0), [&](BodyBuilder& even) { add(even); });
  });
  const Kernel kernel = compiled(builder);
  const Tensor x = poisoned(kernel, {kOdd}, dtype::kFloat32);
  run(kernel, {x, 5, 0.5});
  EXPECT_THAT(downloaded<float>(x), Each(1.5F));
  run(kernel, {x, 0, 0.5});
  EXPECT_THAT(downloaded<float>(x), Each(0.0F));
}

TEST_F(LanguageTest, WorkspacesCarryDataBetweenKernels) {
  ProgramBuilder builder = one_vector("centre", R"(
extern "C" __global__ void mean(const float* x, float* w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(w, x[i] / n);
}
extern "C" __global__ void subtract(float* x, const float* w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] -= w[0];
}
)");
  builder.workspace("w", 4);
  builder.body().fill("w", 4);
  for (const char* name : {"mean", "subtract"}) {
    LaunchBuilder launch = builder.launch(name).grid({ceildiv(kLanguageN, 256)}).block({256});
    launch.args({"x", "w"}).arg(kLanguageN);
  }
  const Kernel kernel = compiled(builder);
  std::vector<float> x = numbers(kOdd);
  const Tensor on_device = uploaded(kernel, {kOdd}, x);
  run(kernel, {on_device});
  double mean = 0;
  for (const float value : x) mean += value / static_cast<double>(kOdd);
  for (float& value : x) value -= static_cast<float>(mean);
  EXPECT_THAT(downloaded<float>(on_device), Pointwise(FloatNear(1e-4F), x));
}

TEST_F(LanguageTest, RunsCooperativeLaunches) {
  ProgramBuilder builder = one_vector("together", kAdd);
  builder.scalar("by", dtype::kFloat32);
  builder.launch("add").grid({4}).block({64}).cooperative().args({"x", "by"}).arg(kLanguageN);
  const Kernel kernel = compiled(builder);
  std::vector<float> x = numbers(256);
  const Tensor on_device = uploaded(kernel, {256}, x);
  run(kernel, {on_device, 2.0});
  for (float& value : x) value += 2;
  EXPECT_THAT(downloaded<float>(on_device), ElementsAreArray(x));
}

TEST_F(LanguageTest, EmptyTensorsLaunchNothing) {
  ProgramBuilder builder = one_vector("nothing", kAdd);
  builder.scalar("by", dtype::kFloat32);
  builder.launch("add").grid({ceildiv(kLanguageN, 64)}).block({64}).args({"x", "by"}).arg(kLanguageN);
  const Kernel kernel = compiled(builder);
  run(kernel, {poisoned(kernel, {0}, dtype::kFloat32), 2.0});
}

}  // namespace
}  // namespace kmux
