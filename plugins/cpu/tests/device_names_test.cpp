// SPDX-License-Identifier: Apache-2.0
// Names that CUDA brings into a source: indices that a source may hide, and namespaces that it may reopen.
#include <algorithm>

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

TEST(DeviceNamesTest, SourceReopensCudaStd) {
  const ElementKernel kernel{.source = R"(#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/utility>
struct Pair { float a, b; };
struct Small {};
namespace cuda { namespace std {
template <> struct tuple_size<Pair> : integral_constant<size_t, 2> {};
template <size_t i> struct tuple_element<i, Pair> { using type = float; };
} }
template <> struct cuda::std::numeric_limits<Small> { static constexpr int digits = 5; };
namespace cs = cuda::std;
using cuda::std::is_same_v;
static_assert(cs::tuple_size<Pair>::value == 2 && is_same_v<cs::tuple_element_t<1, const Pair>, const float>);
static_assert(std::numeric_limits<Small>::digits == 5 && is_same_v<cs::tuple<int>, std::tuple<int>>);
namespace cuda { static_assert(std::is_integral_v<int> && std::numeric_limits<int>::max() > 0); }
__global__ void k(const float* x, float* y, int n) {
  using namespace cuda::std;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = cuda::std::max(x[i], 3.0f) + static_cast<float>(uint8_t(i));
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], std::max(x[i], 3.0F) + static_cast<float>(i)) << i;
}

// As CuTe 4.7 does: it declares the traits, with one parameter, unless the headers have a version.
TEST(DeviceNamesTest, SourceDeclaresTupleSizeUnlessHeadersHaveVersion) {
  const ElementKernel kernel{.source = R"(#include <cuda/std/tuple>
struct Two { float a, b; };
namespace std {
#if !__has_include(<cuda/std/__cccl/version.h>)
template <class> struct tuple_size;
template <size_t, class> struct tuple_element;
#endif
template <> struct tuple_size<Two> : cuda::std::integral_constant<size_t, 2> {};
template <size_t i> struct tuple_element<i, Two> { using type = float; };
}
template <size_t i> __device__ float get(const Two& all) { return i == 0 ? all.a : all.b; }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto [value, more] = Two{x[i], 3};
  y[i] = value + more;
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 3) << i;
}

// As CuTe does where NVRTC compiles it.
TEST(DeviceNamesTest, SourceSpecialisesTupleSizeInBothNamespaces) {
  const ElementKernel kernel{.source = R"(#include <cuda/std/tuple>
namespace own {
template <class A, class B> struct two { A a; B b; };
template <size_t i, class A, class B> __device__ auto get(const two<A, B>& all) { if constexpr (i == 0) return all.a; else return all.b; }
}
namespace cuda::std {
template <class A, class B> struct tuple_size<own::two<A, B>> : cuda::std::integral_constant<size_t, 2> {};
template <size_t i, class A, class B>
struct tuple_element<i, own::two<A, B>> : cuda::std::tuple_element<i, cuda::std::tuple<A, B>> {};
}
namespace std {
template <class...> struct tuple_size;
template <size_t, class...> struct tuple_element;
template <class A, class B> struct tuple_size<own::two<A, B>> : cuda::std::integral_constant<size_t, 2> {};
template <size_t i, class A, class B>
struct tuple_element<i, own::two<A, B>> : cuda::std::tuple_element<i, cuda::std::tuple<A, B>> {};
}
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto [value, times] = own::two<float, int>{x[i], 3};
  y[i] = value * times;
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 3 * x[i]) << i;
}

// CuTe has templates of the same name, which sources see beside CUDA's functions.
TEST(DeviceNamesTest, ExtremesArePreferredToTemplatesOfSource) {
  const ElementKernel kernel{.source = R"(
namespace own {
template <class A, class B> __device__ int min(const A&, const B&) { return 100; }
template <class A, class B> __device__ int max(const A&, const B&) { return 100; }
}
using namespace own;
__global__ void k(const float* x, float* y, int n) {
  static_assert(sizeof(max(1, 2u)) == 4 && sizeof(max(1l, 2ul)) == 8 && sizeof(min(1.0f, 2.0)) == 8);
  const unsigned large = max(-1, 2u);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = min(3, 5) + max(7l, -2l) + min(4ull, 9ull) + (large == 4294967295u) + min(0.5f, 2.0) + x[i];
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 15.5F) << i;
}

TEST(DeviceNamesTest, ProvidesAtomicsWithOrders) {
  const ElementKernel kernel{.source = R"(
__global__ void k(const float* x, float* y, int n) {
  __shared__ unsigned at[4];
  if (threadIdx.x < 4) at[threadIdx.x] = 0;
  __syncthreads();
  __nv_atomic_fetch_add(at, 2, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(at + 1, threadIdx.x, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  unsigned expected = threadIdx.x;
  while (!__nv_atomic_compare_exchange_n(at + 2, &expected, expected + 3, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED)) {}
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  __syncthreads();
  if (threadIdx.x == 1) __nv_atomic_store_n(at + 3, 5, __NV_ATOMIC_RELEASE);
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i) sum += __nv_atomic_load_n(at + i, i == 1 ? __NV_ATOMIC_ACQUIRE : __NV_ATOMIC_SEQ_CST);
  y[threadIdx.x] = sum;
})",
                             .block = 32};
  const std::vector<float> y = elements<float>(kernel, std::vector<float>(32));
  for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(y[i], 64 + 31 + 96 + 5) << i;
}

TEST(DeviceNamesTest, ProvidesTuples) {
  const ElementKernel kernel{.source = R"(#include <tuple>
struct Half { float value; explicit Half(float v) : value(v / 2) {} };
__device__ std::tuple<int, float> split(float x) { return {static_cast<int>(x), x - static_cast<int>(x)}; }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int whole;
  float rest;
  std::tie(whole, rest) = split(x[i]);
  auto [again, part] = std::make_tuple(whole, rest);
  std::tuple<int, float, char> three(1, 2.0f, 'c');
  std::get<1>(three) += again;
  const std::tuple copied = three;
  static_assert(std::tuple_size<decltype(three)>::value == 3 && std::tuple_size_v<std::array<int, 4>> == 4);
  static_assert(std::is_same_v<std::tuple_element_t<2, decltype(three)>, char> && std::tuple_size_v<std::tuple<>> == 0);
  static_assert(std::get<0>(std::make_tuple(7, 8)) == 7);
  const auto [one, two] = float2{1, 2};
  static_assert(std::tuple_size<const std::tuple<int>>::value == 1);
  y[i] = part + (two - 2 * one) + std::get<1>(copied) + std::get<0>(std::tuple<Half>(8.0f)).value;
})",
                             .block = 32};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 6) << i;
}

// nvcc compiles `object.get<n>()` of a dependent object without the word.
const char* const kDependent = R"(
template <class T> struct Numbers {
  template <int n> __device__ float get() const { return n; }
  template <int n> __device__ static float times(T x) { return x * n; }
};
template <class T, class N> __device__ float sum(const N& numbers, T x) {
  Numbers<T> own;
  const Numbers<T>* const place = &own;
  return numbers.get<1>() + place->get<2>() + own.get<4>() + N::times<3>(x);
}
__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = sum(NUMBERS(), x[threadIdx.x]); }
)";

TEST(DeviceNamesTest, MissingWordTemplateIsAdded) {
  const ElementKernel kernel{.source = "#define NUMBERS Numbers<float>\n" + std::string(kDependent), .block = 128};
  const std::vector<float> x = numbers(), y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 7 + 3 * x[i]) << i;
  EXPECT_THAT(common_bench().host.log, testing::HasSubstr("warning: the word template is missing before \"times\""));
}

TEST(DeviceNamesTest, AddedWordTemplateDoesNotHideErrors) {
  const Error error = device_failure(
      {"struct Other { template <int n> __device__ float get() const { return n; } };\n#define NUMBERS Other\n" +
       std::string(kDependent)});
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, testing::HasSubstr("k.cu:11:"));
  EXPECT_THAT(error.message, testing::HasSubstr("'times'"));
  const Error call =
      device_failure({"struct S { int size() const; };\n__global__ void k(const float* x, float* y, int n) {\n  S s;\n"
                      "  y[0] = s.size<1;\n}\n"});
  EXPECT_EQ(call.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(call.message,
              testing::HasSubstr("k.cu:4:12: error: reference to non-static member function must be called"));
}

}  // namespace
}  // namespace kmux::cpu::device_names
