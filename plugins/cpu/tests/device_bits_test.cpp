// Integer intrinsics of dialect cuda, each compared with a bitwise definition.
#include <algorithm>
#include <array>
#include <cstdint>

#include "device_call.h"

namespace kmux::cpu::device_bits {
namespace {

using Pair = std::array<std::uint32_t, 3>;

std::vector<Pair> words() {
  std::vector<Pair> all;
  const std::uint32_t special[] = {0,          1,          2,  0x7fffffff, 0x80000000, 0xffffffff,
                                   0x00ff00ff, 0x12345678, 31, 32,         33,         0xfffffff0};
  for (const std::uint32_t a : special) {
    for (const std::uint32_t b : special) all.push_back({a, b, static_cast<std::uint32_t>(all.size() * 0x9e3779b9U)});
  }
  std::uint64_t state = 1;
  while (all.size() < 500) {
    Pair one{};
    for (std::uint32_t& word : one)
      word = static_cast<std::uint32_t>((state = state * 6364136223846793005U + 1442695040888963407U) >> 32);
    all.push_back(one);
  }
  return all;
}

template <std::size_t n>
void expect_words(const std::string& expressions,
                  std::array<std::uint32_t, n> (*wanted)(std::uint32_t, std::uint32_t, std::uint32_t)) {
  const std::vector<Pair> x = words();
  const std::string size = std::to_string(n);
  const ElementKernel kernel{
      "struct In { unsigned a, b, c; };\nstruct Out { unsigned v[" + size +
      "]; };\n"
      "__global__ void k(const In* x, Out* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n"
      "  const unsigned a = x[i].a, b = x[i].b, c = x[i].c;\n"
      "  const int s = a, t = b, u = c;\n"
      "  const unsigned long long w = (unsigned long long)b << 32 | a, v = (unsigned long long)a << 32 | c;\n"
      "  const unsigned out[] = {" +
      expressions +
      "};\n"
      "  for (int j = 0; j < " +
      size + "; ++j) y[i].v[j] = out[j];\n}\n"};
  const auto y = elements<std::array<std::uint32_t, n>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto expected = wanted(x[i][0], x[i][1], x[i][2]);
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(y[i][j], expected[j]) << "number " << j << " of " << std::hex << x[i][0] << ", " << x[i][1] << ", "
                                      << x[i][2];
    }
  }
}

int bit(std::uint64_t value, int at) { return static_cast<int>((value >> at) & 1); }
std::uint32_t count(std::uint64_t value) {
  std::uint32_t sum = 0;
  for (int i = 0; i < 64; ++i) sum += bit(value, i);
  return sum;
}
std::uint32_t zeros_above(std::uint64_t value, int width) {
  int at = width;
  while (at > 0 && bit(value, at - 1) == 0) --at;
  return static_cast<std::uint32_t>(width - at);
}
std::uint32_t first_set(std::uint64_t value) {
  for (int i = 0; i < 64; ++i) {
    if (bit(value, i) != 0) return static_cast<std::uint32_t>(i) + 1;
  }
  return 0;
}
std::uint64_t reversed(std::uint64_t value, int width) {
  std::uint64_t result = 0;
  for (int i = 0; i < width; ++i) result |= static_cast<std::uint64_t>(bit(value, i)) << (width - 1 - i);
  return result;
}

TEST(DeviceBitsTest, AreCountedAndFound) {
  expect_words<10>(
      "(unsigned)__popc(a), (unsigned)__popcll(w), (unsigned)__clz(s), (unsigned)__clzll(w), (unsigned)__ffs(s), "
      "(unsigned)__ffsll(w), __brev(a), (unsigned)__brevll(w), (unsigned)(__brevll(w) >> 32), "
      "__fns(a, b & 31, (int)(c % 9) - 4)",
      [](std::uint32_t a, std::uint32_t b, std::uint32_t c) -> std::array<std::uint32_t, 10> {
        const std::uint64_t w = std::uint64_t{b} << 32 | a;
        const int base = static_cast<int>(b & 31), offset = static_cast<int>(c % 9) - 4;
        std::uint32_t found = ~0U;  // CUDA's manual: the n-th set bit from base on
        if (offset == 0) {
          if (bit(a, base) != 0) found = static_cast<std::uint32_t>(base);
        } else {
          int left = std::abs(offset);
          for (int at = base; at >= 0 && at < 32 && found == ~0U; at += offset < 0 ? -1 : 1) {
            left -= bit(a, at);
            if (left == 0) found = static_cast<std::uint32_t>(at);
          }
        }
        return {count(a),
                count(w),
                zeros_above(a, 32),
                zeros_above(w, 64),
                first_set(a),
                first_set(w),
                static_cast<std::uint32_t>(reversed(a, 32)),
                static_cast<std::uint32_t>(reversed(w, 64)),
                static_cast<std::uint32_t>(reversed(w, 64) >> 32),
                found};
      });
}

std::int64_t signed24(std::uint32_t value) { return static_cast<std::int32_t>(value << 8) >> 8; }

TEST(DeviceBitsTest, ProductsAndAveragesMatchReference) {
  expect_words<14>(
      "__umulhi(a, b), (unsigned)__mulhi(s, t), (unsigned)__umul64hi(w, v), (unsigned)(__umul64hi(w, v) >> 32), "
      "(unsigned)__mul64hi((long long)w, (long long)v), (unsigned)(__mul64hi((long long)w, (long long)v) >> 32), "
      "(unsigned)__mul24(s, t), __umul24(a, b), (unsigned)__hadd(s, t), (unsigned)__rhadd(s, t), __uhadd(a, b), "
      "__urhadd(a, b), "
      "__sad(s, t, c), __usad(a, b, c)",
      [](std::uint32_t a, std::uint32_t b, std::uint32_t c) -> std::array<std::uint32_t, 14> {
        const std::int64_t s = static_cast<std::int32_t>(a), t = static_cast<std::int32_t>(b);
        const std::uint64_t w = std::uint64_t{b} << 32 | a, v = std::uint64_t{a} << 32 | c;
        __extension__ using Wide = unsigned __int128;
        __extension__ using SignedWide = __int128;
        const auto high = static_cast<std::uint64_t>((Wide{w} * v) >> 64);
        const auto signed_high =
            static_cast<std::uint64_t>((SignedWide{static_cast<std::int64_t>(w)} * static_cast<std::int64_t>(v)) >> 64);
        return {static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32),
                static_cast<std::uint32_t>((s * t) >> 32),
                static_cast<std::uint32_t>(high),
                static_cast<std::uint32_t>(high >> 32),
                static_cast<std::uint32_t>(signed_high),
                static_cast<std::uint32_t>(signed_high >> 32),
                static_cast<std::uint32_t>(signed24(a) * signed24(b)),
                (a & 0xffffff) * (b & 0xffffff),
                static_cast<std::uint32_t>((s + t) >> 1),
                static_cast<std::uint32_t>((s + t + 1) >> 1),
                static_cast<std::uint32_t>((std::uint64_t{a} + b) >> 1),
                static_cast<std::uint32_t>((std::uint64_t{a} + b + 1) >> 1),
                static_cast<std::uint32_t>(std::abs(s - t)) + c,
                (a > b ? a - b : b - a) + c};
      });
}

std::uint32_t byte(std::uint64_t value, unsigned at) { return static_cast<std::uint32_t>(value >> (8 * at)) & 0xff; }

TEST(DeviceBitsTest, ShiftsBytesAndDotProductsMatchReference) {
  expect_words<11>(
      "__funnelshift_l(a, b, c), __funnelshift_r(a, b, c), __funnelshift_lc(a, b, c & 63), __funnelshift_rc(a, b, c & "
      "63), "
      "__byte_perm(a, b, c), (unsigned)__dp4a(s, t, u), __dp4a(a, b, c), (unsigned)__dp2a_lo(s, t, u), "
      "(unsigned)__dp2a_hi(s, t, u), __dp2a_lo(a, b, c), __dp2a_hi(a, b, c)",
      [](std::uint32_t a, std::uint32_t b, std::uint32_t c) -> std::array<std::uint32_t, 11> {
        const std::uint64_t w = std::uint64_t{b} << 32 | a;
        const unsigned shift = c & 31, clamped = std::min(c & 63, 32U);
        std::uint32_t permuted = 0, dot = c, signed_dot = c, low = c, high = c, signed_low = c, signed_high = c;
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned nibble = (c >> (4 * i)) & 15;
          const std::uint32_t from = byte(w, nibble & 7);
          permuted |= (nibble < 8 ? from : (from >> 7) * 0xff) << (8 * i);
          dot += byte(a, i) * byte(b, i);
          signed_dot +=
              static_cast<std::uint32_t>(static_cast<std::int8_t>(byte(a, i)) * static_cast<std::int8_t>(byte(b, i)));
        }
        for (unsigned i = 0; i < 2; ++i) {
          const std::uint32_t half = (a >> (16 * i)) & 0xffff;
          low += half * byte(b, i);
          high += half * byte(b, i + 2);
          signed_low +=
              static_cast<std::uint32_t>(static_cast<std::int16_t>(half) * static_cast<std::int8_t>(byte(b, i)));
          signed_high +=
              static_cast<std::uint32_t>(static_cast<std::int16_t>(half) * static_cast<std::int8_t>(byte(b, i + 2)));
        }
        return {static_cast<std::uint32_t>((w << shift) >> 32),
                static_cast<std::uint32_t>(w >> shift),
                static_cast<std::uint32_t>((w << clamped) >> 32),
                static_cast<std::uint32_t>(w >> clamped),
                permuted,
                signed_dot,
                dot,
                signed_low,
                signed_high,
                low,
                high};
      });
}

TEST(DeviceBitsTest, NumbersAreReinterpretedAsBits) {
  expect_words<9>(
      "__float_as_uint(__uint_as_float(a)), (unsigned)__float_as_int(__int_as_float(s)), "
      "(unsigned)__double_as_longlong(__longlong_as_double((long long)w)), "
      "(unsigned)__double2hiint(__hiloint2double(t, s)), "
      "(unsigned)__double2loint(__hiloint2double(t, s)), __float_as_uint(__uint_as_float(0x3f800000) + 1), "
      "__dp4a(make_uchar4(1, 2, 3, 4), make_uchar4(5, 6, 7, 8), 9u), (unsigned)__dp4a(make_char4(-1, 2, 3, 4), "
      "make_char4(5, 6, 7, 8), 9), "
      "__byte_perm(a, 0, 0x0123)",
      [](std::uint32_t a, std::uint32_t b, std::uint32_t) -> std::array<std::uint32_t, 9> {
        return {a, a, a, b, a, 0x40000000, 79, 69, __builtin_bswap32(a)};
      });
}

// Undefined in C++, but defined on GPUs.
TEST(DeviceBitsTest, OversizedShiftsAreDefined) {
  std::vector<std::int32_t> x(128);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i) - 16;
  const auto y = elements<std::int32_t>({R"(__global__ void k(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, by = x[i];
  y[i] = (int)(0xffffffffu >> (32 - (i & 31))) ^ (1 << by) ^ (-7 >> by) ^ (int)(1ull << by >> 1);
})"},
                                        x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto by = static_cast<std::uint32_t>(x[i]);
    const std::uint32_t below = (i & 31) == 0 ? 0 : 0xffffffffU >> (32 - (i & 31));
    const std::uint32_t one = by < 32 ? 1U << by : 0;
    const auto far = static_cast<std::uint32_t>(-7 >> std::min(by, 31U));
    const auto wide = static_cast<std::uint32_t>((by < 64 ? 1ULL << by : 0) >> 1);
    EXPECT_EQ(static_cast<std::uint32_t>(y[i]), below ^ one ^ far ^ wide) << x[i];
  }
}

// The result of the division is unused; a later test of the divisor must be kept.
TEST(DeviceBitsTest, DivisionByZeroDoesNotTrap) {
  std::vector<std::int64_t> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i % 4) - 1;
  const auto y = elements<std::int64_t>({R"(__global__ void k(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, zero = n - 64;
  const long long quotient = 100 / x[i], rest = 100 % x[i];
  const unsigned narrow = 50u / (unsigned)(x[i] * x[i]), of_all = i / zero;
  y[i] = x[i] ? quotient * 1000 + rest + narrow : -7;
  if (zero != 0) y[i] = of_all;
})"},
                                        x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], x[i] == 0 ? -7 : 100 / x[i] * 1000 + 100 % x[i] + 50 / (x[i] * x[i])) << i;
  }
}

// The same operands for all lanes, and different ones in each; of 32 and 64 bits, by a known and an unknown number.
constexpr const char* kMinByMinusOne = R"(__global__ void k(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, least = (int)x[0], minus = (int)x[2];
  const long long wide = x[1];
  long long own = i % 2 ? least : wide;
  if (i % 3 == 0) own = own / x[2] + own % x[2];
  y[i] = (least / minus == least) + (least % minus == 0) * 2 + (wide / x[2] == wide) * 4 + (wide % x[2] == 0) * 8 +
         ((least + i) / minus == (int)(0u - least - i)) * 16 + ((wide + i) / x[2] == (long long)(0ull - wide - i)) * 32 +
         ((least + i) % minus == 0) * 64 + ((wide + i) % x[2] == 0) * 128 + (least / -1 < 0) * 256 +
         ((short)least / (short)minus == 0) * 512 + ((char)(i - 128) / (char)minus == 128 - i) * 1024 + (own < 0) * 2048;
})";

std::vector<std::int64_t> least_integers() {
  std::vector<std::int64_t> x(128, -1);
  x[0] = INT32_MIN;
  x[1] = INT64_MIN;
  return x;
}

TEST(DeviceBitsTest, MinimumDividedByMinusOneIsItself) {
  const auto y = elements<std::int64_t>({kMinByMinusOne}, least_integers());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i % 3 == 0 && i % 2 == 1 ? 2047 : 4095) << i;
}

TEST(DeviceBitsTest, MinimumDividedByMinusOneIsItselfOnFibers) {
  const std::string recursion = "__device__ int f(int n) { return n < 2 ? n : f(n - 1); }\n";
  std::string source = recursion + kMinByMinusOne;
  source.replace(source.rfind("y[i] ="), 6, "y[i] = f(n) - 1 +");
  const auto y = elements<std::int64_t>({source}, least_integers());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i % 3 == 0 && i % 2 == 1 ? 2047 : 4095) << i;
}

// Inlined functions, loops and templates that know both operands: compilers fold such a quotient to no value.
TEST(DeviceBitsTest, MinimumDividedByMinusOneIsItselfWhereBothAreKnown) {
  const auto y = elements<std::int64_t>({R"(__device__ int f(int a, int b) { return a / b; }
__device__ int rest(int a, int b) { return a % b; }
__device__ long long wide(long long a, long long b) { return a / b; }
template <int A> __device__ int of_known(int b) { return A / b; }
__global__ void k(const long long* x, long long* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, least = -2147483647 - 1;
  const int none = (int)x[1] & 0;
  const long long least_wide = -9223372036854775807LL - 1;
  int last = 0;
  for (int by = 1; by > -3; by -= 2) last = f(least, by);
  y[i] = (f(least, -1) == least) + (rest(least, -1) == 0) * 2 + (least / (none - 1) == least) * 4 +
         (of_known<-2147483647 - 1>(-1) == least) * 8 + (last == least) * 16 + (f(7, -1) == -7) * 32 +
         (wide(least_wide, -1) == least_wide) * 64 + (least_wide % (none - 1) == 0) * 128;
})"},
                                        least_integers());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 255) << i;
}

TEST(DeviceBitsTest, NonzeroBytesAreTrue) {
  std::vector<std::uint8_t> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i * 85 % 256);
  const auto y = elements<std::int32_t>({R"(__global__ void k(const bool* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] ? 10 : 20;
  if (x[i] && !x[(i + 1) % n]) y[i] += 100;
})"},
                                        x);
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], x[i] == 0 ? 20 : x[(i + 1) % x.size()] == 0 ? 110 : 10) << i;
}

// A function may end without a value if its result is unused.
TEST(DeviceBitsTest, MissingReturnIsAcceptedIfUnused) {
  const auto y = elements<float>({R"(__device__ float at(const float* x, int i, int n) { if (i < n) return x[i]; }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 5;
  const float v = at(x, i, 40);
  if (i < 40) y[i] = v * v;
})"},
                                 std::vector<float>(64, 3));
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i < 40 ? 9 : 5) << i;
}

}  // namespace
}  // namespace kmux::cpu::device_bits
