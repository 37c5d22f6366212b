// The language of CUDA sources: module variables, kernel names, templates, lambdas, types, headers.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <gmock/gmock.h>

#include "device_call.h"

namespace kmux::cpu::device_language {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Floats = std::vector<float>;

Floats numbers() {
  Floats x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.5F - 7;
  return x;
}

template <class F>
void expect(const ElementKernel& kernel, F wanted) {
  const Floats x = numbers();
  Floats expected;
  for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(static_cast<float>(wanted(x[i], static_cast<int>(i))));
  EXPECT_EQ(elements<float>(kernel, x), expected) << kernel.source;
}

std::string body(const std::string& text) {
  return "(const float* x, float* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) "
         "return;\n" +
         text + "\n}\n";
}

TEST(DeviceLanguageTest, SupportsModuleVariables) {
  expect(
      {"__constant__ float table[4] = {1, 2, 3, 4};\n"
       "__device__ const int offsets[] = {10, 20};\n"
       "__constant__ struct { float scale; int shift[2]; } settings = {0.5f, {3, 4}};\n"
       "__device__ float unset[3];\n"
       "static __device__ int counter;\n"
       "__global__ void k" +
       body("  atomicAdd(&counter, 1);\n  y[i] = table[i & 3] * x[i] + offsets[i & 1] + settings.scale * "
            "settings.shift[i & 1] + unset[i % 3];")},
      [](float x, int i) { return (1 + (i & 3)) * static_cast<double>(x) + 10 + 10 * (i & 1) + 0.5 * (3 + (i & 1)); });
}

TEST(DeviceLanguageTest, ResolvesKernelNames) {
  const std::string kernel =
      "template <class T, int n_>\n__global__ void __launch_bounds__(64, 2) k" + body("  y[i] = T(x[i]) * n_;");
  expect({.source = kernel, .name = "k<float, 3>"}, [](float x, int) { return x * 3; });
  expect({.source = kernel, .name = "k<int, -2>"}, [](float x, int) { return static_cast<int>(x) * -2; });
  const std::string scaled = body("  y[i] = 2 * x[i];");
  const auto twice = [](float x, int) { return 2 * x; };
  expect({.source = "namespace a::b {\n__global__ void k" + scaled + "}\n", .name = "a::b::k"}, twice);
  expect({.source = "namespace {\n__global__ void k" + scaled + "}\n"}, twice);
  expect({.source = "static __global__ void k" + scaled}, twice);
  expect({.source = "extern \"C\" __global__ void k" + scaled + "__global__ void other" +
                    body("  y[i] = __shfl_sync(~0u, x[i], 0);")},
         twice);
  expect({.source = "template <class T> struct Op { __device__ T operator()(T a) const { return a + a; } };\n"
                    "template <class F>\n__global__ void k" +
                    body("  y[i] = F()(x[i]);"),
          .name = "k<Op<float>>"},
         twice);
}

TEST(DeviceLanguageTest, CharIsSignedOnEveryMachine) {
  expect({"__global__ void k" + body("  const char c = static_cast<char>(200 + i % 100);\n  y[i] = c;")},
         [](float, int i) { return static_cast<signed char>(200 + i % 100); });
}

TEST(DeviceLanguageTest, ReportsUnknownKernelName) {
  const Error unknown =
      device_failure({.source = "template <int n_> __global__ void k" + body("  y[i] = n_;"), .name = "k<what>"});
  EXPECT_EQ(unknown.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(unknown.message, HasSubstr("do not define kernel \"k<what>\""));
  EXPECT_THAT(unknown.note("log").value_or(""), AllOf(HasSubstr("kernel names:1:"), HasSubstr("'what'")));
}

// nvcc accepts narrowing in braces with a warning.
TEST(DeviceLanguageTest, AcceptsNarrowingInBraces) {
  expect(
      {"__global__ void k" + body("  uchar4 c = {i, i + 1, n, n};\n  const short s[2] = {i, i};\n  y[i] = c.x + c.y + "
                                  "s[1] + x[i];")},
      [](float x, int i) { return x + static_cast<float>(3 * i + 1); });
}

// nvcc accepts "register" with a warning, and warpSize is a variable, whose name a local declaration may shadow.
TEST(DeviceLanguageTest, AcceptsRegisterAndShadowedWarpSize) {
  expect({"__device__ int g(register int a) { return a; }\n__global__ void k" +
          body("  register int j = g(i);\n  y[i] = j + x[i];")},
         [](float x, int i) { return x + static_cast<float>(i); });
  expect({"template <int warpSize> struct Half { static constexpr int value = warpSize / 2; };\n__global__ void k" +
          body("  const int& size = warpSize;\n  int sum = size + ::warpSize;\n  {\n    int warpSize = 4;\n    sum += "
               "warpSize;\n  }\n"
               "  y[i] = sum + Half<8>::value + x[i];")},
         [](float x, int) { return 32 + 32 + 4 + 4 + x; });
}

TEST(DeviceLanguageTest, SupportsHeapMemory) {
  expect({"__global__ void k" +
          body("  float* const p = static_cast<float*>(malloc(2 * sizeof(float)));\n  p[0] = x[i], p[1] = 1;\n"
               "  memmove(p + 1, p, sizeof(float));\n  __assume(i >= 0);\n"
               "  y[i] = p[1] + (memcmp(p, p + 1, 4) == 0);\n  free(p);")},
         [](float x, int) { return x + 1; });
}

TEST(DeviceLanguageTest, SupportsTemplatesLambdasAndConcepts) {
  expect({R"(#include <type_traits>
template <class T> concept Number = std::is_arithmetic_v<T>;
template <Number T, class F> __device__ T twice(T value, F f) { return f(f(value)); }
template <int... i> __device__ constexpr int sum() { return (i + ... + 0); }
struct Shape { int width = 3; constexpr int area() const { return width * width; } bool operator==(const Shape&) const = default; };
__global__ void k)" +
          body(R"(  const float by = 1.5f;
  auto scale = [=](float v) { return v * by; };
  if constexpr (sum<1, 2, 3>() == 6) y[i] = twice(x[i], scale) + Shape{.width = 2}.area();
  auto add = [&](auto v) { y[i] += v; };
  add(i), add(0.25);)")},
         [](float x, int i) { return x * 2.25F + 4 + static_cast<float>(i) + 0.25F; });
}

TEST(DeviceLanguageTest, VectorTypesMatchCudaLayout) {
  std::string checks;
  const auto check = [&](const std::string& type, int size, int alignment) {
    checks += "static_assert(sizeof(" + type + ") == " + std::to_string(size) + " && alignof(" + type +
              ") == " + std::to_string(alignment) + ");\n";
  };
  const struct {
    const char* name;
    int bytes;
  } kTypes[] = {{"char", 1},  {"uchar", 1}, {"short", 2}, {"ushort", 2},   {"int", 4},       {"uint", 4},
                {"float", 4}, {"long", 8},  {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}, {"double", 8}};
  std::string sums;
  for (const auto& [name, bytes] : kTypes) {  // CUDA C++ Programming Guide, table of alignments of the vector types
    const std::string type = name;
    check(type + "1", bytes, bytes);
    check(type + "2", 2 * bytes, 2 * bytes);
    check(type + "3", 3 * bytes, bytes);
    check(type + "4", 4 * bytes, bytes == 8 ? 16 : 4 * bytes);
    sums += "  { const auto a = make_" + type + "1(1); const auto b = make_" + type + "2(2, 3); const auto c = make_" +
            type + "3(4, 5, 6); const auto d = make_" + type +
            "4(7, 8, 9, 10);\n"
            "  sum += a.x + b.x + b.y + c.x + c.y + c.z + d.x + d.y + d.z + d.w; }\n";
  }
  check("dim3", 12, 4);
  expect(
      {checks + "__device__ dim3 block_of() { return blockIdx; }\n__global__ void k" +
       body(
           "  float sum = 0;\n" + sums +
           "  const dim3 a, b(2), c(2, 3), d = {4, 5, 6}, e = gridDim; const uint3 f = threadIdx;\n"
           "  const dim3 g = threadIdx, h(threadIdx), j(blockDim), l = block_of();\n"
           "  y[i] = sum + a.x + a.y + a.z + b.x + b.y + c.y + c.z + d.z + (e.x == gridDim.x) + (f.x == threadIdx.x) + "
           "(g.x == threadIdx.x) + (h.x == threadIdx.x) + (j.x == blockDim.x) + (l.x == blockIdx.x);")},
      [](float, int) { return 12 * 55 + 3 + 3 + 4 + 6 + 6; });
}

TEST(DeviceLanguageTest, SupportsLoadsAndStoresWithCacheHints) {
  expect(
      {"__global__ void k" +
       body(R"(  float v = __ldg(x + i) + __ldca(x + i) + __ldcg(x + i) + __ldcs(&x[i]) + __ldlu(x + i) + __ldcv(x + i);
  const float4 four = __ldg((const float4*)x + i / 4);
  const int2 two = __ldcs((const int2*)x + i / 2);
  v += i & 1 ? four.y * 0 + (i & 2 ? four.w : four.y) : (i & 2 ? four.z : four.x);
  v += __int_as_float(i & 1 ? two.y : two.x);
  __stwb(y + i, 0); __stcg(y + i, 1); __stcs(y + i, 2.5); __stwt(y + i, v);)")},
      [](float x, int) { return 8 * x; });
}

TEST(DeviceLanguageTest, ProvidesCudaAndCppHeaders) {
  std::string includes;
  for (const char* const header : {"cuda.h",
                                   "cuda_runtime.h",
                                   "cuda_runtime_api.h",
                                   "device_launch_parameters.h",
                                   "cuda_fp16.h",
                                   "cuda_bf16.h",
                                   "cuda_fp8.h",
                                   "cooperative_groups.h",
                                   "cooperative_groups/reduce.h",
                                   "math_constants.h",
                                   "vector_types.h",
                                   "vector_functions.h",
                                   "cuda_pipeline.h",
                                   "stdint.h",
                                   "stdio.h",
                                   "stdlib.h",
                                   "string.h",
                                   "assert.h",
                                   "math.h",
                                   "float.h",
                                   "limits.h",
                                   "stddef.h",
                                   "cstdint",
                                   "cstdio",
                                   "cstddef",
                                   "cstring",
                                   "cmath",
                                   "cassert",
                                   "cfloat",
                                   "climits",
                                   "limits",
                                   "type_traits",
                                   "algorithm",
                                   "functional",
                                   "utility",
                                   "cuda/std/cstdint",
                                   "cuda/std/limits",
                                   "cuda/std/type_traits",
                                   "cuda/std/cmath"}) {
    includes += std::string("#include <") + header + ">\n";
  }
  expect(
      {includes + "__global__ void k" +
       body(
           R"(  static_assert(std::numeric_limits<int>::max() == INT_MAX && std::numeric_limits<unsigned char>::max() == 255);
  static_assert(cuda::std::numeric_limits<float>::max() == FLT_MAX && std::numeric_limits<long long>::min() == LLONG_MIN);
  static_assert(cuda::std::is_same_v<std::conditional_t<true, int, char>, std::remove_cvref_t<const int&>>);
  static_assert(std::is_floating_point<double>::value && !std::is_integral<float>() && sizeof(std::int64_t) == 8);
  float big = std::max(x[i], 3.0f), low = std::min(x[i], -3.0f);
  std::swap(big, low);
  std::swap(low, big);
  y[i] = std::sqrt(std::abs(x[i]) * 0 + 4.0f) + std::clamp(x[i], low, big) + std::plus<>()(1, 2) + (CUDART_PI_F > 3 ? 1 : 0);)")},
      [](float x, int) { return 6 + x; });
}

TEST(DeviceLanguageTest, IgnoresSystemHeaders) {
  const Error missing = device_failure({"#include <bits/wordsize.h>\n__global__ void k" + body("")});
  EXPECT_EQ(missing.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(missing.message, HasSubstr("k.cu:1:10"));
  EXPECT_THAT(missing.message, HasSubstr("'bits/wordsize.h' file not found"));
  EXPECT_THAT(missing.message, HasSubstr("kmux's own headers, which docs/cpu-backend.md lists"));
  EXPECT_THAT(missing.message, Not(HasSubstr("apt-get")));
}

TEST(DeviceLanguageTest, SupportsHipNames) {
  expect({.source = R"(#include "hip/hip_runtime.h"
#include <hip/hip_fp16.h>
extern "C" __global__ void k(const float* x, float* y, int n) {
  const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  static_assert(warpSize == 32);
  const float other = __shfl_xor(x[i < n ? i : 0], 1);
  const unsigned long long all = __ballot(1);
  if (i < n) y[i] = (float)half(x[i]) + (other == x[i ^ 1]) + (all >> 32 == 0) + (__lane_id() == i % 32) + __any(i == 3) * 0;
})",
          .dialect = "hip"},
         [](float x, int) { return x + 3; });
}

TEST(DeviceLanguageTest, ProgramHipHeaderKeepsDeviceFunctions) {
  ProgramBuilder builder("own");
  builder.pointer("y").variant("hip").header("hip/hip_runtime.h", "#define OWN 2\n").source("k.hip", R"(
#include <hip/hip_runtime.h>
extern "C" __global__ void k(float* y) { y[threadIdx.x] = __shfl((float)threadIdx.x, 3) * OWN; })");
  builder.launch("k").grid({1}).block({32}).args({"y"});
  std::vector<float> y(32);
  const Program program = builder.build().value();
  Workbench bench;
  auto loaded = bench.load(program, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
  ASSERT_TRUE((*loaded)({slot(y.data())}).ok());
  EXPECT_THAT(y, testing::Each(6.0F));
}

// Records of a function stay scalars next to shared memory, also if the block size is unknown.
TEST(DeviceLanguageTest, RuntimeBlockSizeSupportsSharedMemoryAndMath) {
  ProgramBuilder builder("any");
  builder.pointer("y");
  const Expr threads = builder.scalar("threads", dtype::kInt32);
  builder.variant("cuda").source("k.cu", R"(
extern "C" __global__ void k(float* y) {
  __shared__ float s[1024];
  extern __shared__ float d[];
  s[threadIdx.x] = exp2f(y[threadIdx.x]);
  d[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + d[0];
})");
  builder.launch("k").grid({1}).block({threads}).dynamic_smem_bytes(4096).args({"y"});
  const Program program = builder.build().value();
  for (const char* tier : {"fast", "full"}) {
    Workbench bench;
    auto loaded = bench.load(program, {{"tier", tier}});
    ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
    std::vector<float> y(70);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 8);
    ASSERT_TRUE((*loaded)({slot(y.data()), slot(70)}).ok());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<float>(1 << (69 - i) % 8) + 1) << i;
  }
}

TEST(DeviceLanguageTest, HipSourceCanUse64LaneWarps) {
  std::vector<float> x(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 31);
  const auto y = elements<float>({.source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ int votes;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x[i];
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  const unsigned long long odd = __ballot(threadIdx.x & 1);
  if (threadIdx.x == 0) votes = 0;
  __syncthreads();
  if (__lane_id() == 63) atomicAdd(&votes, __popcll(odd));
  __syncthreads();
  float other = 0;
  if (threadIdx.x % 64 > 40) other = __shfl(x[i], 50) + __popcll(__ballot(1));
  y[i] = sum + votes + other + __syncthreads_count(threadIdx.x < 70);
})",
                                  .block = 128,
                                  .dialect = "hip",
                                  .settings = {.defines = {"KMUX_WAVEFRONT=64"}}},
                                 x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t first = i / 64 * 64;
    const float sum = std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(first),
                                      x.begin() + static_cast<std::ptrdiff_t>(first + 64), 0.0F);
    const float other = i % 64 > 40 ? x[first + 50] + 23 : 0;
    ASSERT_EQ(y[i], sum + 64 + other + 70) << i;
  }
}

TEST(DeviceLanguageTest, Rejects64LaneShufflesOnFibers) {
  const Error error = device_failure({.source = R"(
__device__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
extern "C" __global__ void k(const float* x, float* y, int n) { y[0] = depth(n) + __shfl(x[0], 1); })",
                                      .dialect = "hip",
                                      .settings = {.defines = {"KMUX_WAVEFRONT=64"}}});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("exchanges values between 64 threads"));
}

// Adjacent threads access adjacent elements, unless an index wraps around to its minimum between them: a left neighbour
// of the first thread, 8-bit indices, and both sides of a store.
TEST(DeviceLanguageTest, IndicesWrapAround) {
  const ElementKernel kernel{.source = R"(
__global__ void k(const int* x, int* y, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, left = i - 3, count = n;
  int sum = left < count ? x[left] : -1;
  sum += 3 * x[(unsigned char)(i + 201)] + 5 * x[128 + (signed char)(i + 77)];
  y[(unsigned char)(i + 250)] = sum;
})",
                             .block = 32};
  std::vector<int> x(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * i % 1009);
  const std::vector<int> y = elements<int>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<std::size_t>(128 + static_cast<signed char>(i + 77));
    ASSERT_EQ(y[(i + 250) % 256], (i < 3 ? -1 : x[i - 3]) + 3 * x[(i + 201) % 256] + 5 * x[at]) << i;
  }
}

// Clang's vector types, and structures that the calling convention passes in vectors: represented by their elements. A
// sum over a vector has no such form, and runs thread by thread.
TEST(DeviceLanguageTest, SupportsClangVectorTypes) {
  const ElementKernel kernel{.source = R"(typedef float kmux4 __attribute__((ext_vector_type(4)));
typedef unsigned char bytes4 __attribute__((ext_vector_type(4)));
struct Pair { float a, b; };
__device__ __noinline__ Pair swapped(Pair p) { return {p.b, p.a}; }
__device__ __noinline__ kmux4 doubled(kmux4 v) { return v + v; }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const kmux4 v = doubled(kmux4{x[i], 1, 2, 3} * 2.0f).wzyx;
  const bytes4 b = __builtin_convertvector(v, bytes4);
  unsigned bits;
  __builtin_memcpy(&bits, &b, 4);
  const Pair p = swapped(Pair{x[i], static_cast<float>(bits & 0xffffffu)});
  float sum = v[i & 3];
  for (int j = 0; j < 4; ++j) sum += v[j];
  y[i] = sum + p.a - p.b;
})"};
  std::vector<float> x(150);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13);
  const std::vector<float> y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float v[4] = {12, 8, 4, 4 * x[i]};
    const float bits = 12 + 8 * 256 + 4 * 65536;
    ASSERT_EQ(y[i], v[i % 4] + 24 + 4 * x[i] + bits - x[i]) << i;
  }
  const ElementKernel sum{.source = R"(typedef int kmux4 __attribute__((ext_vector_type(4)));
__global__ void k(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __builtin_reduce_add(kmux4{x[i], 1, 2, 3});
})"};
  EXPECT_EQ(elements<int>(sum, std::vector<int>{4, 5, 6}), (std::vector<int>{10, 11, 12}));
}

}  // namespace
}  // namespace kmux::cpu::device_language
