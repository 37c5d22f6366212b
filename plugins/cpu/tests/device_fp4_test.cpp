// SPDX-License-Identifier: Apache-2.0
// Numbers of 4 bits (cuda_fp4.h); what is expected are results of CUDA 13.0.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "device_call.h"

namespace kmux::cpu::device_fp4 {
namespace {

using Byte = std::uint8_t;

constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

// Returns the nearest of the eight magnitudes, ties to even, or the one below.
int code_of(double x, bool is_nearest) {
  if (std::isnan(x)) return 7;
  const double size = std::fabs(x);
  int code = 0;
  for (int next = 1; next < 8; ++next) {
    const double middle = (kValues[next - 1] + kValues[next]) / 2;
    const bool is_beyond = is_nearest ? size > middle || (size == middle && next % 2 == 0) : size >= kValues[next];
    if (is_beyond) code = next;
  }
  return code | (std::signbit(x) ? 8 : 0);
}

std::vector<float> numbers() {
  std::vector<float> x = {0.1F, 100, 1e30F, std::numeric_limits<float>::infinity(), std::nanf("")};
  for (int i = 0; i < 7; ++i) {
    const double low = kValues[i], middle = (low + kValues[i + 1]) / 2;
    for (const double value : {low, middle, middle * 0.99, middle * 1.01}) x.push_back(static_cast<float>(value));
  }
  for (std::size_t i = x.size(); i-- > 0;) x.push_back(-x[i]);
  return x;
}

TEST(DeviceFp4Test, RoundsToNearestOrToZero) {
  const ElementKernel kernel{R"(#include <cuda_fp4.h>
struct Out { unsigned char v[8]; };
__global__ void k(const float* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half half = __half(x[i]);
  y[i] = {{__nv_cvt_float_to_fp4(x[i], __NV_E2M1, cudaRoundNearest), __nv_cvt_float_to_fp4(x[i], __NV_E2M1, cudaRoundZero),
           __nv_cvt_double_to_fp4(x[i], __NV_E2M1, cudaRoundNearest), __nv_fp4_e2m1(x[i]).__x,
           (unsigned char)(__nv_fp4_e2m1(half).__x == __nv_fp4_e2m1((float)half).__x),
           __nv_fp4x2_e2m1(float2{1, x[i]}).__x, __nv_fp4x2_e2m1(double2{x[i], -6}).__x, 0}};
})"};
  const std::vector<float> x = numbers();
  const auto y = elements<std::array<Byte, 8>>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto d = static_cast<double>(x[i]);
    const int nearest = code_of(d, true);
    const std::array<int, 8> wanted = {nearest, code_of(d, false), nearest,           nearest,
                                       1,       2 | nearest << 4,  nearest | 15 << 4, 0};
    for (std::size_t part = 0; part < wanted.size(); ++part) EXPECT_EQ(y[i][part], wanted[part]) << d << ", " << part;
  }
}

TEST(DeviceFp4Test, DecodesEveryCode) {
  const ElementKernel kernel{R"(#include <cuda_fp4.h>
__global__ void k(const unsigned char* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp4_e2m1 one;
  one.__x = x[i];
  __nv_fp4x2_e2m1 two;
  two.__x = (unsigned char)(x[i] << 4 | 3);
  const float2 pair = (float2)two;
  y[i] = pair.x == 1.5f && pair.y == (float)one && (bool)one == (pair.y != 0) ? (float)one : -1000;
})"};
  std::vector<Byte> x(16);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Byte>(i);
  const auto y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(static_cast<double>(y[i]), kValues[i % 8] * (i < 8 ? 1 : -1)) << i;
    EXPECT_EQ(std::signbit(y[i]), i >= 8) << i;
  }
}

TEST(DeviceFp4Test, DecodesNumbersOfSixBits) {
  const ElementKernel kernel{R"(#include <cuda_fp4.h>
__global__ void k(const unsigned char* x, float2* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = {(float)__half(__nv_cvt_fp6_to_halfraw(x[i], __NV_E2M3)), (float)__half(__nv_cvt_fp6_to_halfraw(x[i], __NV_E3M2))};
})"};
  const std::vector<Byte> x = {0, 1, 7, 8, 15, 31, 33, 63};
  const auto y = elements<std::array<float, 2>>(kernel, x);
  const std::vector<std::array<float, 2>> wanted = {
      {0, 0},          {0.125F, 0.0625F}, {0.875F, 0.4375F},   {1, 0.5F},
      {1.875F, 1.75F}, {7.5F, 28},        {-0.125F, -0.0625F}, {-7.5F, -28}};
  EXPECT_EQ(y, wanted);
}

}  // namespace
}  // namespace kmux::cpu::device_fp4
