// A device newer than NVRTC gets PTX for the newest architecture that NVRTC compiles. Both are fakes (tests/fakes).
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "fake_cuda.h"

namespace kmux {
namespace {

constexpr std::int64_t kLength = 256;

constexpr const char* kSource = R"(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
})";
constexpr const char* kText = R"(
kernel add(a: f32[n], b: f32[n], c: inout f32[n])
  launch add<<<ceildiv(n, 128), 128>>>(a, b, c, n))";

// The kernel's computation; the fake driver calls it instead of the kernel.
void add(const fake_cuda::KernelRun& run) {
  const auto vector = [&](int index) { return *static_cast<float**>(run.args[index]); };
  for (int i = 0; i < *static_cast<int*>(run.args[3]); ++i) vector(2)[i] = vector(0)[i] + vector(1)[i];
}

Tensor filled(const Kernel& kernel, float value) {
  Tensor tensor = Tensor::empty({kLength}, dtype::kFloat32, kernel.device()).value();
  std::fill_n(static_cast<float*>(tensor.data()), kLength, value);  // the fake's memory is host memory
  return tensor;
}

TEST(PtxFallbackTest, RunsOnDeviceNewerThanNvrtc) {
  setenv("KMUX_NVRTC_LIBRARY", KMUX_OLD_NVRTC, /*overwrite=*/1);
  FakeCuda fake = FakeCuda::load();
  fake.set_devices({{.name = "Fake B200", .major = 10, .minor = 0}});
  fake.on_launch(add);
  const Kernel added = kernel(kSource, kText, {.execution_backend = "nvrtc"}).value();
  EXPECT_THAT(added.resolution().explain(), testing::HasSubstr("cuda:sm_100a,code=compute_90"));
  Tensor c = filled(added, 0);
  added.launch({filled(added, 1), filled(added, 2), c}).value();
  EXPECT_EQ(static_cast<float*>(c.data())[kLength - 1], 3);
}

}  // namespace
}  // namespace kmux
