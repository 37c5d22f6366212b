// Operations that lanes do one after another (spmd/lane_calls.cpp): atomics, and 8- and 16-bit numbers at scattered
// places.
#include <algorithm>

#include <gmock/gmock.h>

#include "device_call.h"
#include "spmd/steps.h"
#include "spmd_steps.h"

namespace kmux::cpu::spmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Returns a kernel for that many warps in lockstep, whose thread has a place `p` in shared memory, and `q` at an
// arbitrary address.
std::string widened_by(unsigned warps, const std::string& then) {
  Steps steps(
      "declare ptr @\"kmux.shared\"(i64) nounwind willreturn memory(none)\n"
      "define void @k(ptr %x, ptr %y, i1 %which) #0 {\n  %lane = call i32 @\"kmux.lane\"()\n  %wide = zext i32 %lane "
      "to i64\n"
      "  %from = getelementptr i32, ptr %y, i64 %wide\n  %index = load i32, ptr %from\n  %far = sext i32 %index to "
      "i64\n"
      "  %shared = call ptr @\"kmux.shared\"(i64 0)\n  %more = call ptr @\"kmux.shared\"(i64 64)\n"
      "  %either = select i1 %which, ptr %shared, ptr %more\n"
      "  %p = getelementptr i32, ptr %either, i64 %far\n  %q = getelementptr i32, ptr %x, i64 %far\n" +
      then + "  ret void\n}\nattributes #0 = { \"target-features\"=\"+avx512f\" }\n");
  auto warp = widen(steps.kernel(), 32, warps, steps.functions);
  EXPECT_TRUE(warp.ok()) << warp.error().explain();
  return text_of(**warp);
}

TEST(LaneCallsTest, SharedMemoryAtomicsBecomePlain) {
  const std::string shared =
      widened_by(1, "  %old = atomicrmw add ptr %p, i32 1 monotonic\n  store i32 %old, ptr %from\n");
  EXPECT_THAT(shared, AllOf(Not(HasSubstr("atomicrmw")), HasSubstr("add i32")));
  const std::string global = widened_by(1, "  %old = atomicrmw add ptr %q, i32 1 monotonic\n");
  EXPECT_THAT(global, HasSubstr("atomicrmw add"));
  const std::string any =
      widened_by(1, "  %r = select i1 %which, ptr %p, ptr %q\n  %old = atomicrmw add ptr %r, i32 1 monotonic\n");
  EXPECT_THAT(any, HasSubstr("atomicrmw add"));
  const std::string kept = widened_by(1, "  %old = atomicrmw volatile add ptr %p, i32 1 monotonic\n");
  EXPECT_THAT(kept, HasSubstr("atomicrmw volatile add"));
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(LaneCallsTest, LockstepWarpsShareOneLoop) {
  const std::string store = "  %b = trunc i32 %index to i8\n  store i8 %b, ptr %p\n";
  for (const unsigned warps : {1U, 8U}) {
    const std::string text = widened_by(warps, store);
    EXPECT_EQ(count_of(text, "store i8"), 4U) << text;  // one iteration's
    EXPECT_THAT(text, AllOf(Not(HasSubstr("masked.scatter")), HasSubstr("!llvm.loop"))) << text;
  }
}

TEST(LaneCallsTest, NarrowLoadsGatherWholeWords) {
  const std::string bytes = widened_by(1, "  %v = load i8, ptr %q\n  store i8 %v, ptr %y\n");
  EXPECT_THAT(bytes, AllOf(HasSubstr("masked.gather.v32i32"), Not(HasSubstr("masked.gather.v32i8"))));
  const std::string halves = widened_by(1, "  %v = load half, ptr %q, align 2\n  store half %v, ptr %y\n");
  EXPECT_THAT(halves, AllOf(HasSubstr("masked.gather.v32i32"), Not(HasSubstr("masked.gather.v32f16"))));
  const std::string packed = widened_by(1, "  %v = load i16, ptr %q, align 1\n  store i16 %v, ptr %y\n");
  EXPECT_THAT(packed, Not(HasSubstr("masked.gather.v32i"))) << "may lie in two words";
}

// With a loop that lanes leave one by one, and results that are used.
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
}  // namespace kmux::cpu::spmd
