// Operations that lanes do one after another (simt/transforms/lane_calls.cpp): atomics, and 8- and 16-bit numbers at scattered
// places.
#include <algorithm>

#include "device_call.h"

namespace kmux::cpu {
namespace {

// Atomics on shared memory, in a loop that lanes leave one by one, with results that are used.
class SharedUpdatesTest : public testing::TestWithParam<const char*> {};

TEST_P(SharedUpdatesTest, ApplyOncePerThread) {
  const std::string type = GetParam();
  const ElementKernel kernel{"typedef " + type + R"( T;
__global__ void k(const int* x, int* y, int n) {
  __shared__ T sums[8], most[8];
  __shared__ unsigned tickets[8], orders[8];
  if (threadIdx.x < 8) sums[threadIdx.x] = most[threadIdx.x] = tickets[threadIdx.x] = orders[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i <= x[threadIdx.x] % 5; ++i) {
    atomicAdd(&sums[x[threadIdx.x] & 7], (T)1);
    atomicAdd(orders + (x[threadIdx.x] & 7), atomicAdd(tickets + (x[threadIdx.x] & 7), 1u));
  }
  __syncthreads();
  if (threadIdx.x % 3) atomicMax(&most[x[threadIdx.x] & 7], (T)threadIdx.x);
  atomicExch(&tickets[x[threadIdx.x] & 7], 7u);
  __syncthreads();
  const int bin = threadIdx.x & 7;
  y[threadIdx.x] = threadIdx.x & 8 ? (int)orders[bin] : (int)sums[bin] * 10000 + (int)most[bin] * 10 + (tickets[bin] == 7);
}
)",
                             128};
  std::vector<int> x(128);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 37 % 101);
  std::vector<int> sums(8), most(8);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums[static_cast<std::size_t>(x[i] & 7)] += x[i] % 5 + 1;
    int& one = most[static_cast<std::size_t>(x[i] & 7)];
    if (i % 3 != 0) one = std::max(one, static_cast<int>(i));
  }
  const std::vector<int> y = elements<int>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int sum = sums[i & 7];
    EXPECT_EQ(y[i], (i & 8) != 0 ? sum * (sum - 1) / 2 : sum * 10000 + most[i & 7] * 10 + 1) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SharedUpdatesTest, testing::Values("int", "unsigned long long"));

template <class T>
class NarrowTest : public testing::Test {};
using NarrowTypes = testing::Types<std::uint8_t, std::int16_t>;
TYPED_TEST_SUITE(NarrowTest, NarrowTypes);

// Each element moves to another one's place; some threads are inactive, and warps are in lockstep.
TYPED_TEST(NarrowTest, ValuesScatterAndGatherPerThread) {
  const std::string type = sizeof(TypeParam) == 1 ? "unsigned char" : "short";
  const ElementKernel kernel{"typedef " + type + R"( T;
__global__ void k(const T* x, T* y, int n) {
  __shared__ T own[257], other[257];
  const int t = threadIdx.x;
  own[t + 1] = x[t];
  other[t] = 0;
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    const int to = (t * 5 + i) % 256;
    if ((own[to + 1] & 3) != i) other[(to * 3 + 1) % 256] = own[to + 1] + (T)i;
    __syncthreads();
    if (t % 7 != i) own[(t * 11 + i) % 256 + 1] = other[(t * 33 + 3 * i + 1) % 256];
    __syncthreads();
  }
  y[t * 7 % 256] = own[t + 1];
}
)",
                             256};
  std::vector<TypeParam> x(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<TypeParam>(i * 2654435761U >> 7);
  std::vector<TypeParam> own(257), other(257), y(256);
  for (std::size_t t = 0; t < 256; ++t) own[t + 1] = x[t];
  const std::vector<TypeParam> found = elements<TypeParam>(kernel, x);
  ASSERT_EQ(found.size(), x.size());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t t = 0; t < 256; ++t) {
      const std::size_t to = (t * 5 + i) % 256;
      if ((own[to + 1] & 3) != static_cast<int>(i))
        other[(to * 3 + 1) % 256] = static_cast<TypeParam>(own[to + 1] + static_cast<TypeParam>(i));
    }
    for (std::size_t t = 0; t < 256; ++t) {
      if (t % 7 != i) own[(t * 11 + i) % 256 + 1] = other[(t * 33 + 3 * i + 1) % 256];
    }
  }
  for (std::size_t t = 0; t < 256; ++t) y[t * 7 % 256] = own[t + 1];
  EXPECT_EQ(found, y);
}

}  // namespace
}  // namespace kmux::cpu
