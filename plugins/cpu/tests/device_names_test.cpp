// Names that CUDA brings into a source: indices that a source may hide, and namespaces that it may reopen.
#include <gmock/gmock.h>

#include "device_call.h"

namespace kmux::cpu::device_names {
namespace {

std::vector<float> numbers() {
  std::vector<float> x(128);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.5F - 7;
  return x;
}

TEST(DeviceNamesTest, LocalVariableHidesIndex) {
  const ElementKernel kernel{.source = R"(
__device__ dim3 reversed() { return dim3(gridDim.x - 1 - blockIdx.x, blockIdx.y, blockIdx.z); }
__global__ void k(const float* x, float* y, int n) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  {
    const dim3 blockIdx = reversed();
    y[own] = x[blockIdx.x * blockDim.x + threadIdx.x] + 1000 * ::blockIdx.x;
  }
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], x[(3 - i / 32) * 32 + i % 32] + 1000.0F * static_cast<float>(i / 32)) << i;
}

TEST(DeviceNamesTest, IndexNamesMembersAndParameters) {
  const ElementKernel kernel{.source = R"(
struct Place { unsigned threadIdx, blockDim; };
__device__ unsigned place(const uint3& threadIdx, dim3 gridDim) { return threadIdx.x + 100 * gridDim.x; }
__global__ void k(const float* x, float* y, int n) {
  const Place here = {threadIdx.x, blockDim.x};
  const auto whole = blockIdx;
  const uint3 copied = whole;
  y[copied.x * here.blockDim + here.threadIdx] = place(threadIdx, gridDim);
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], static_cast<float>(i % 32 + 400)) << i;
}

}  // namespace
}  // namespace kmux::cpu::device_names
