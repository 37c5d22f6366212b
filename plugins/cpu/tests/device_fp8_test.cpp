// 8-bit floating-point numbers, each compared with the nearest of the 256 codes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "device_call.h"

namespace kmux::cpu::device_fp8 {
namespace {

using Byte = std::uint8_t;

// Returns the value of a code (OCP 8-bit Floating Point Specification): E4M3 has no infinity, and one pair of NaN
// codes.
double value(Byte code, bool is_e4m3) {
  const int digits = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
  const int magnitude = code & 0x7f, exponent = magnitude >> digits, fraction = magnitude & ((1 << digits) - 1);
  const double sign = code >> 7 != 0 ? -1 : 1;
  if (is_e4m3 ? magnitude == 0x7f : magnitude > 0x7c) return std::numeric_limits<double>::quiet_NaN();
  if (!is_e4m3 && magnitude == 0x7c) return sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - digits);
  return sign * std::ldexp(fraction + (1 << digits), exponent - bias - digits);
}

// Returns the nearest code, ties to even. The first value beyond the largest participates, as it decides which values
// overflow.
int nearest(double x, bool is_e4m3, bool saturates) {
  if (std::isnan(x)) return 0x7f;
  const int largest = is_e4m3 ? 0x7e : 0x7b, sign = std::signbit(x) ? 0x80 : 0;
  const double magnitude = std::fabs(x), beyond = is_e4m3 ? 480 : 65536;
  int best = 0;
  double distance = magnitude;
  for (int code = 1; code <= largest + 1; ++code) {
    const double of = std::fabs((code > largest ? beyond : value(static_cast<Byte>(code), is_e4m3)) - magnitude);
    if (of < distance || (of == distance && code % 2 == 0)) best = code, distance = of;
  }
  if (magnitude > beyond) best = largest + 1;
  return sign | (best > largest && saturates ? largest : best);
}

std::vector<double> numbers() {
  std::vector<double> x = {
      0,         -0.0,         448,    464,     464.1,   480,       1e9,     -1e9,      57344,          61439,
      61440,     61441,        -61440, 1e-9,    0x1p-10, 0x1.8p-10, 0x1p-17, 0x1.8p-17, 0x1.000002p-10, HUGE_VAL,
      -HUGE_VAL, std::nan(""), 1e300,  -1e-300, 0.0175,  1.0625,    1.1875};
  for (int code = 0; code < 127; ++code) {  // each, and the midpoint to the next one
    for (const bool is_e4m3 : {true, false}) {
      const double low = value(static_cast<Byte>(code), is_e4m3), high = value(static_cast<Byte>(code + 1), is_e4m3);
      x.push_back(low), x.push_back((low + high) / 2), x.push_back(-(low + high) / 2 * (1 + 1e-6)),
          x.push_back((low + high) / 2 * (1 - 1e-12));
    }
  }
  return x;
}

TEST(DeviceFp8Test, RoundsToNearest) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
struct Out { unsigned char v[12]; unsigned four; };
__global__ void k(const double* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double d = x[i];
  const float f = (float)d;
  const half h = half(f);
  const __nv_bfloat16 b = __nv_bfloat16(f);
  const auto two = __nv_cvt_float2_to_fp8x2(make_float2(1, f), __NV_SATFINITE, __NV_E5M2);
  const __nv_fp8x4_e4m3 four(make_float4(f, 1, -f, 2));
  y[i] = {{__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3), __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3),
           __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2), __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2),
           __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E4M3), __nv_cvt_double_to_fp8(d, __NV_NOSAT, __NV_E5M2),
           __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E5M2), __nv_cvt_bfloat16raw_to_fp8(b, __NV_NOSAT, __NV_E4M3),
           __nv_fp8_e4m3(f).__x, __nv_fp8_e5m2(h).__x, (unsigned char)(two >> 8), (unsigned char)(__nv_fp8x2_e4m3(__half2(h, h)).__x >> 8)}, four.__x};
})"};
  struct Out {
    Byte v[12];
    std::uint32_t four;
  };
  const auto x = numbers();
  const auto y = elements<Out>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double d = x[i], f = static_cast<float>(d);
    EXPECT_EQ(y[i].v[0], nearest(f, true, true)) << d;
    EXPECT_EQ(y[i].v[1], nearest(f, true, false)) << d;
    EXPECT_EQ(y[i].v[2], nearest(f, false, true)) << d;
    EXPECT_EQ(y[i].v[3], nearest(f, false, false)) << d;
    EXPECT_EQ(y[i].v[4], nearest(d, true, true)) << d;
    EXPECT_EQ(y[i].v[5], nearest(d, false, false)) << d;
    EXPECT_EQ(y[i].v[8], nearest(f, true, true)) << d;
    EXPECT_EQ(y[i].v[10], nearest(f, false, true)) << d;
    EXPECT_EQ(y[i].four & 0xff, static_cast<unsigned>(nearest(f, true, true))) << d;
    EXPECT_EQ(y[i].four >> 24, 0x40U);
    const bool is_half = value(static_cast<Byte>(nearest(f, false, false)), false) == f;  // all values of E5M2 are
                                                                                          // halves
    if (!is_half) continue;
    EXPECT_EQ(y[i].v[6], nearest(f, false, true)) << d;
    EXPECT_EQ(y[i].v[9], nearest(f, false, true)) << d;
    EXPECT_EQ(y[i].v[11], nearest(f, true, true)) << d;
    EXPECT_EQ(y[i].v[7], nearest(f, true, false)) << d;
  }
}

// A kernel over the `numbers` as `type`, with each constructor of the vectors of four and two.
std::string vectors_of(const std::string& type) {
  return "#include <cuda_fp8.h>\nusing E = __nv_fp8_" + type + ";\nusing Two = __nv_fp8x2_" + type +
         ";\nusing Four = __nv_fp8x4_" + type + R"(;
struct Out { unsigned v[8]; };
__global__ void k(const double* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double d = x[i];
  const float f = (float)d;
  const __half2 h(__half(f), __half(-1.0f)), h2(__half(2.0f), __half(f));
  const __nv_bfloat162 b(__nv_bfloat16(f), __nv_bfloat16(-1.0f)), b2(__nv_bfloat16(2.0f), __nv_bfloat16(f));
  y[i] = {{Four(h, h2).__x, Four(b, b2).__x, Four(make_float4(f, -1, 2, f)).__x, Four(make_double4(d, -1, 2, d)).__x,
           Four(make_double4_16a(d, -1, 2, d)).__x, Four(make_double4_32a(d, -1, 2, d)).__x,
           Two(make_double2(d, -1)).__x, Two(b).__x}};
})";
}

TEST(DeviceFp8Test, ConstructsVectorsOfEachType) {
  for (const bool is_e4m3 : {true, false}) {
    const auto x = numbers();
    const auto y = elements<std::array<std::uint32_t, 8>>(ElementKernel{vectors_of(is_e4m3 ? "e4m3" : "e5m2")}, x);
    const auto code = [&](double of) { return static_cast<std::uint32_t>(nearest(of, is_e4m3, true)); };
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double d = x[i], f = static_cast<float>(d);
      const auto four = [&](double of) { return code(of) | code(-1) << 8 | code(2) << 16 | code(of) << 24; };
      EXPECT_EQ(y[i][2], four(f)) << d;
      for (const int j : {3, 4, 5}) EXPECT_EQ(y[i][j], four(d)) << d;
      EXPECT_EQ(y[i][6], code(d) | code(-1) << 8) << d;
      const bool is_exact = value(static_cast<Byte>(nearest(f, is_e4m3, false)), is_e4m3) == f;  // as both of 16 bits
      if (!is_exact) continue;
      EXPECT_EQ(y[i][0], four(f)) << d;
      EXPECT_EQ(y[i][1], four(f)) << d;
      EXPECT_EQ(y[i][7], code(f) | code(-1) << 8) << d;
    }
  }
}

TEST(DeviceFp8Test, ConvertsEachInteger) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
struct Out { unsigned char v[16]; };
template <class T> __device__ void add(unsigned char* v, long long x) { v[0] = T((short)x).__x, v[1] = T((unsigned short)x).__x, v[2] = T((int)x).__x, v[3] = T((unsigned)x).__x,
  v[4] = T((long)x).__x, v[5] = T((unsigned long)x).__x, v[6] = T(x).__x, v[7] = T((unsigned long long)x).__x; }
__global__ void k(const long long* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  add<__nv_fp8_e4m3>(y[i].v, x[i]);
  add<__nv_fp8_e5m2>(y[i].v + 8, x[i]);
})"};
  const std::vector<long long> x = {
      0,     1,     7,      17,      -17,           100,       447,          449,       -1000,     30000, 57344,
      61440, 65535, 100000, 1 << 24, (1 << 24) + 1, 1LL << 40, -(1LL << 40), INT64_MAX, INT64_MIN, -1};
  const auto y = elements<std::array<Byte, 16>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const long long n = x[i];
    const std::array<double, 8> of = {double(short(n)), double(static_cast<unsigned short>(n)),
                                      double(int(n)),   double(unsigned(n)),
                                      double(n),        double(std::uint64_t(n)),
                                      double(n),        double(std::uint64_t(n))};
    for (std::size_t j = 0; j < 16; ++j) EXPECT_EQ(y[i][j], nearest(of[j % 8], j < 8, true)) << n << " " << j;
  }
}

// Returns `x` without its fraction, as the nearest number of a type.
template <class Integer>
Integer whole(double x) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(x)) return 0;
  if (x >= std::ldexp(1.0, Limits::digits)) return Limits::max();
  return x <= static_cast<double>(Limits::min()) ? Limits::min() : static_cast<Integer>(x);
}

TEST(DeviceFp8Test, BecomesEachInteger) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
struct Out { long long s[6]; unsigned long long u[5]; };
template <class T> __device__ void set(Out& y, T x) {
  y.s[0] = (signed char)x, y.s[1] = (short)x, y.s[2] = (int)x, y.s[3] = (long)x, y.s[4] = (long long)x, y.s[5] = (char)x;
  y.u[0] = (unsigned char)x, y.u[1] = (unsigned short)x, y.u[2] = (unsigned)x, y.u[3] = (unsigned long)x, y.u[4] = (unsigned long long)x;
}
__global__ void k(const unsigned short* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp8_e4m3 e4;
  __nv_fp8_e5m2 e5;
  e4.__x = e5.__x = (unsigned char)x[i];
  if (x[i] < 256) set(y[i], e4); else set(y[i], e5);
})"};
  struct Out {
    std::int64_t s[6];
    std::uint64_t u[5];
  };
  std::vector<std::uint16_t> x(512);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  const auto y = elements<Out>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double of = value(static_cast<Byte>(i), i < 256);
    EXPECT_EQ(y[i].s[0], whole<std::int8_t>(of)) << of;
    EXPECT_EQ(y[i].s[5], whole<std::int8_t>(of)) << of;
    EXPECT_EQ(y[i].s[1], whole<std::int16_t>(of)) << of;
    EXPECT_EQ(y[i].s[2], whole<std::int32_t>(of)) << of;
    EXPECT_EQ(y[i].u[0], whole<std::uint8_t>(of)) << of;
    EXPECT_EQ(y[i].u[1], whole<std::uint16_t>(of)) << of;
    EXPECT_EQ(y[i].u[2], whole<std::uint32_t>(of)) << of;
    if (std::isnan(of)) continue;  // 64 bits: the value of __float2ll_rz
    for (const int j : {3, 4}) {
      EXPECT_EQ(y[i].s[j], whole<std::int64_t>(of)) << of;
      EXPECT_EQ(y[i].u[j], whole<std::uint64_t>(of)) << of;
    }
  }
}

TEST(DeviceFp8Test, DecodesEveryByte) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
struct Out { float a, b, c, d; };
__global__ void k(const unsigned char* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp8_e4m3 e4;
  __nv_fp8_e5m2 e5;
  e4.__x = e5.__x = x[i];
  const __half2 two = __nv_cvt_fp8x2_to_halfraw2((unsigned short)(x[i] << 8), __NV_E4M3);
  y[i] = {(float)e4, (float)e5, (float)two.y, (float)half(__nv_cvt_fp8_to_halfraw(x[i], __NV_E5M2))};
})"};
  std::vector<Byte> x(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Byte>(i);
  const auto y = elements<std::array<float, 4>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const double wanted = value(x[i], j % 2 == 0);
      EXPECT_TRUE(std::isnan(wanted) ? std::isnan(y[i][j]) : y[i][j] == wanted)
          << i << " is " << y[i][j] << ", not " << wanted;
    }
  }
}

// Returns the code of the power of two that `x` is rounded to.
int scale(double x, bool rounds_up, bool saturates) {
  const double magnitude = std::fabs(x);
  if (std::isnan(x)) return 0xff;
  if (magnitude <= 0x1p-127) return 0;
  int exponent = 0;
  const double fraction = std::isinf(x) ? 0 : std::frexp(magnitude, &exponent);
  const int code = std::isinf(x) ? 0xff : exponent - 1 + 127 + (rounds_up && fraction > 0.5 ? 1 : 0);
  return code >= 0xff ? (saturates ? 0xfe : 0xff) : std::max(code, 0);
}

TEST(DeviceFp8Test, ScalesArePowersOfTwo) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
struct Out { unsigned char v[8]; };
__global__ void k(const float* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_fp8x2_storage_t two = __nv_cvt_float2_to_e8m0x2({1, x[i]}, __NV_NOSAT, cudaRoundZero);
  const __nv_bfloat16 rounded = __nv_bfloat16(x[i]);
  y[i] = {{__nv_cvt_float_to_e8m0(x[i], __NV_SATFINITE, cudaRoundPosInf), __nv_cvt_float_to_e8m0(x[i], __NV_SATFINITE, cudaRoundZero),
           __nv_cvt_float_to_e8m0(x[i], __NV_NOSAT, cudaRoundPosInf), (unsigned char)(two >> 8), (unsigned char)two,
           __nv_fp8_e8m0(x[i]).__x, __nv_fp8_e8m0((double)x[i] * (1 + 1e-12)).__x,
           (unsigned char)(__nv_fp8_e8m0(rounded).__x == __nv_fp8_e8m0((float)rounded).__x)}};
})"};
  std::vector<float> x = {0,           -0.0F,         1,          -1,       1.5F,       3,           0x1p-127F,
                          0x1.8p-127F, 0x1p-149F,     -0x1p-126F, 0x1p127F, 0x1.8p127F, -0x1.8p126F, 0x1.000002p5F,
                          HUGE_VALF,   std::nanf(""), 448,        1e-38F,   5e-39F,     7e-39F};
  const auto y = elements<std::array<Byte, 8>>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto d = static_cast<double>(x[i]);
    EXPECT_EQ(y[i][0], scale(d, true, true)) << d;
    EXPECT_EQ(y[i][1], scale(d, false, true)) << d;
    EXPECT_EQ(y[i][2], scale(d, true, false)) << d;
    EXPECT_EQ(y[i][3], scale(d, false, false)) << d;
    EXPECT_EQ(y[i][4], 127) << d;
    EXPECT_EQ(y[i][5], scale(d, true, true)) << d;
    EXPECT_EQ(y[i][6], scale(d * (1 + 1e-12), true, true)) << d;
    EXPECT_EQ(y[i][7], 1) << d;
  }
}

TEST(DeviceFp8Test, ScalesOfIntegersRoundUp) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
struct Out { unsigned char v[4]; };
__global__ void k(const long long* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = {{__nv_fp8_e8m0(x[i]).__x, __nv_fp8_e8m0((unsigned long long)x[i]).__x, __nv_fp8_e8m0((int)x[i]).__x,
           ((__nv_fp8_e8m0)(unsigned short)x[i]).__x}};
})"};
  const std::vector<long long> x = {0, 1, 2, 3, 4, 5, 0x7fffffff, (1LL << 25) + 1, (1LL << 55) + 1, 1LL << 62, -1, -3};
  const auto y = elements<std::array<Byte, 4>>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  const std::vector<std::array<Byte, 4>> wanted = {// of CUDA 13.0
                                                   {0, 0, 0, 0},         {127, 127, 127, 127}, {128, 128, 128, 128},
                                                   {129, 129, 129, 129}, {129, 129, 129, 129}, {130, 130, 130, 130},
                                                   {158, 158, 158, 143}, {153, 153, 153, 127}, {183, 183, 127, 127},
                                                   {189, 189, 0, 0},     {127, 191, 127, 143}, {129, 191, 129, 143}};
  EXPECT_EQ(y, wanted);
}

TEST(DeviceFp8Test, DecodesEveryScale) {
  const ElementKernel kernel{R"(#include <cuda_fp8.h>
__global__ void k(const unsigned char* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp8_e8m0 one;
  one.__x = x[i];
  const __nv_bfloat162_raw two = __nv_cvt_e8m0x2_to_bf162raw((unsigned short)(x[i] << 8 | 127));
  y[i] = (double)one == (double)(float)__nv_bfloat16(__nv_bfloat16_raw{two.y}) && two.x == 0x3f80 ? (double)one : (float)one;
})"};
  std::vector<Byte> x(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Byte>(i);
  const auto y = elements<double>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (int i = 0; i < 255; ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], std::ldexp(1, i - 127)) << i;
  EXPECT_TRUE(std::isnan(y[255]));
}

}  // namespace
}  // namespace kmux::cpu::device_fp8
