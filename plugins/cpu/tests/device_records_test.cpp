// Records, one per thread: float4, and user-declared structs. Adjacent threads have adjacent records, which are read
// and written as a whole (simt/transforms/lane_memory.cpp).
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device_call.h"

namespace kmux::cpu::device_records {
namespace {

constexpr std::size_t kRecords = 101;

std::string text(std::size_t number) { return std::to_string(number); }

template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i * i % 101);
  return values;
}

// Returns a kernel `k` over records of `members` numbers of type `type`; thread `i` has the `i`-th of `n`.
ElementKernel over_records(const std::string& type, std::size_t members, const std::string& body) {
  return {.source = "struct Record { " + type + " m[" + text(members) + "]; };\n__global__ void k(const " + type +
                    "* x, " + type +
                    "* y, int n) {\nconst int i = blockIdx.x * blockDim.x + threadIdx.x;\nn /= " + text(members) +
                    ";\nconst Record* const from = (const Record*)x;\nRecord* const to = (Record*)y;\n" + body + "}\n"};
}

template <class T>
void check_members(const std::string& type) {
  for (const std::size_t members : {2U, 3U, 4U, 5U, 6U, 8U}) {
    SCOPED_TRACE(type + " " + text(members));
    const std::string count = text(members);
    const auto kernel =
        over_records(type, members,
                     "if (i >= n) return;\nRecord s;\nconst Record r = from[i];\nfor (int j = 0; j < " + count +
                         "; ++j) s.m[j] = r.m[" + text(members - 1) + " - j] + (" + type + ")j;\nto[i] = s;\n");
    const std::vector<T> x = numbers<T>(kRecords * members);
    const std::vector<T> y = elements<T>(kernel, x);
    ASSERT_EQ(y.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t member = i % members;
      ASSERT_EQ(y[i], static_cast<T>(x[i - member + members - 1 - member] + static_cast<T>(member))) << i;
    }
  }
}

TEST(DeviceRecordsTest, SupportMembersOfAllSizes) {
  check_members<float>("float");
  check_members<double>("double");
  check_members<unsigned char>("unsigned char");
  check_members<short>("short");
}

TEST(DeviceRecordsTest, AreCopiedAndSet) {
  const std::vector<float> x = numbers<float>(4 * kRecords);
  EXPECT_EQ(elements<float>(over_records("float", 4, "if (i < n) to[i] = from[i];\n"), x), x);
  const auto y = elements<float>(
      over_records("float", 4, "if (i < n) { if (x[i] > 50) to[i] = from[n - 1 - i]; else to[i] = Record{}; }\n"), x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], x[i / 4] > 50 ? x[4 * (kRecords - 1 - i / 4) + i % 4] : 0) << i;
}

// The dividend wraps around to 0 between two threads of a warp, and its remainder then begins anywhere.
TEST(DeviceRecordsTest, DividendsWrapAround) {
  const std::vector<float> x = numbers<float>(512);
  const ElementKernel kernel = {.source =
                                    "__global__ void k(const float* x, float* y, int n) {\n"
                                    "const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = i - 58u;\n"
                                    "if (i < n) y[i] = x[j % 96u] + 128 * x[j / 100000000u] + 16384 * x[j % n];\n}\n"};
  const auto y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (unsigned i = 0; i < x.size(); ++i) {
    const unsigned j = i - 58;
    ASSERT_EQ(y[i], x[j % 96] + 128 * x[j / 100000000] + 16384 * x[j % x.size()]) << i;
  }
}

// The index wraps around to 0 between two threads of a warp.
TEST(DeviceRecordsTest, IndicesWrapAround) {
  const std::vector<float> x = numbers<float>(4 * 256);
  const auto y =
      elements<float>(over_records("float", 4,
                                   "if (i >= n) return;\nRecord r = from[(unsigned char)(i + 13)];\nr.m[1] += 1;\n"
                                   "to[(unsigned char)(i + 250)] = r;\n"),
                      x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t to = 4 * ((i / 4 + 250) % 256) + i % 4;
    ASSERT_EQ(y[to], x[4 * ((i / 4 + 13) % 256) + i % 4] + (i % 4 == 1 ? 1 : 0)) << i;
  }
}

// A written member is read again before the record is complete, also under another name.
TEST(DeviceRecordsTest, PreserveOrderOfMemberAccesses) {
  const auto kernel =
      over_records("int", 2,
                   "if (i >= n) return;\nint* const same = y + 2 * i;\nto[i].m[0] = from[i].m[0];\n"
                   "to[i].m[1] = same[0] * 2;\nsame[0] = to[i].m[1] + 1;\nto[i].m[1] += from[i].m[1];\n");
  const std::vector<int> x = numbers<int>(2 * kRecords);
  const std::vector<int> y = elements<int>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); i += 2) {
    ASSERT_EQ(y[i], 2 * x[i] + 1) << i;
    ASSERT_EQ(y[i + 1], 2 * x[i] + x[i + 1]) << i;
  }
}

// An array's size need not be a multiple of its alignment: the distance between the threads' arrays must still be.
TEST(DeviceRecordsTest, PrivateArraysAreAligned) {
  const auto y = elements<int>({.source = R"(__global__ void k(const int* x, int* y, int n) {
  int a[5] = {5, 4, 3, 2, 1};
  alignas(64) char c[70] = "hello";
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[x[i] % 5] += 10;
  c[x[i] % 70] = 'z';
  int* volatile of_a = a;
  char* volatile of_c = c;
  y[i] = a[1] + 100 * (c[x[i] * 3 % 70] == 'z') + 1000 * ((long)of_a % 16 + (long)of_c % 64);
})"},
                               numbers<int>(128));
  ASSERT_EQ(y.size(), 128U);
  const std::vector<int> x = numbers<int>(128);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], (x[i] % 5 == 1 ? 14 : 4) + (x[i] * 3 % 70 == x[i] % 70 ? 100 : 0)) << i;
  }
}

// After __shared__, where nvcc accepts it, and at the position of C++.
TEST(DeviceRecordsTest, AlignasMayFollowShared) {
  const auto y = elements<int>({.source = R"(#include <cuda_fp16.h>
extern __shared__ alignas(64) unsigned char dynamic[];
template <class T, int n> struct Two { alignas(T) char c[sizeof(T)]; alignas(2 * n) int m; };
template <int n> __device__ int turned(int t) {
  __shared__ alignas(n) int s[64];
  s[t] = t;
  __syncthreads();
  return s[63 - t] + (int)((unsigned long)s % n);
}
__global__ void k(const int* x, int* y, int n) {
  static __shared__ alignas(float4) char c[3];
  alignas(32) int own[3] = {1, 2, 3};
  y[threadIdx.x] = turned<64>(threadIdx.x) + 100 * own[threadIdx.x % 3] + 1000 * (alignof(Two<double, 16>) + (unsigned long)c % 16) +
                   (unsigned long)dynamic % 64;
})"},
                               numbers<int>(64));
  ASSERT_EQ(y.size(), 64U);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], 63 - i + 100 * (i % 3 + 1) + 32000) << i;
}

TEST(DeviceRecordsTest, AllocaSupportsRuntimeSize) {
  const auto y = elements<int>({.source = R"(__global__ void k(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, count = x[i] % 7 + 1;
  int* const a = (int*)alloca(count * sizeof(int));
  for (int j = 0; j < count; ++j) a[j] = j * i;
  int sum = 0;
  for (int j = 0; j < count; ++j) sum += a[count - 1 - j];
  y[i] = sum;
})"},
                               numbers<int>(128));
  ASSERT_EQ(y.size(), 128U);
  const std::vector<int> x = numbers<int>(128);
  for (int i = 0; i < 128; ++i) {
    const int count = x[static_cast<std::size_t>(i)] % 7 + 1;
    EXPECT_EQ(y[static_cast<std::size_t>(i)], i * count * (count - 1) / 2) << i;
  }
}

}  // namespace
}  // namespace kmux::cpu::device_records
