// Option check=on: invalid memory accesses of kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_kernel.h"

namespace kmux::cpu {
namespace {

TEST(CheckMemoryTest, ReportsWriteBeyondTensor) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] =
      x[i % n];
})",
                             .block = {48},
                             .grid = {Expr(2)}};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("kernel \"k\" writes 4 bytes at byte 256 of \"y\" (it has 256 bytes; block "
                                          "(1, 0, 0), thread (16, 0, 0), at k.cu:3)."),
                                HasSubstr("Seen 32 times."))));
}

TEST(CheckMemoryTest, ReportsReadBeforeTensor) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  y[threadIdx.x] = x[(int)threadIdx.x - 2];
})"};
  const auto result = kernel();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(
      result.error().message,
      HasSubstr("reads 4 bytes 8 bytes before \"x\" (it has 256 bytes; block (0, 0, 0), thread (0, 0, 0), at k.cu:2"));
}

TEST(CheckMemoryTest, ReportsIndexIntoAnotherTensor) {
  const CheckedKernel kernel{.source = R"(__device__ float at(const float* from, long i) { return from[i]; }
__global__ void k(const float* x, float* y, int n) {
  y[threadIdx.x] = at(x, y - x);
})"};
  EXPECT_THAT(findings_of(kernel), ElementsAre(AllOf(HasSubstr("\"x\" (it has 256 bytes"), HasSubstr("k.cu:1"))));
}

TEST(CheckMemoryTest, ReportsNullPointer) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  float* p = n > 3 ? nullptr : y;
  if (threadIdx.x == 5) p[1] = 2;
})"};
  EXPECT_THAT(findings_of(kernel), ElementsAre(AllOf(HasSubstr("writes 4 bytes at a null pointer"),
                                                     HasSubstr("thread (5, 0, 0), at k.cu:3"))));
}

TEST(CheckMemoryTest, ReportsAddressOutsideLaunchMemory) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  float* p = (float*)(0x100000000 * (unsigned long)n);
  *p = 1;
})",
                             .block = {1}};
  EXPECT_THAT(findings_of(kernel), ElementsAre(HasSubstr("writes 4 bytes outside all memory of the launch")));
}

TEST(CheckMemoryTest, ReportsMisalignedVector) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const float4 v = *(const float4*)(x + threadIdx.x);
  y[threadIdx.x] = v.x + v.w;
})",
                             .block = {8}};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("at a misaligned address (its type asks for multiples of 16;"),
                                HasSubstr("thread (1, 0, 0), at k.cu:2"))));
}

TEST(CheckMemoryTest, AllowsVectorsAtAnyPlaceOfOwnArrays) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  float from[3] = {x[0], x[1], x[2]}, to[4] = {};
  *(float2*)(to + n % 2) = *(float2*)(from + n % 2);
  *(float2*)(to + 1 + n % 2) = *(float2*)(from + 1 - n % 2);
  y[threadIdx.x] = to[1] + to[2];
})",
                             .block = {1}};
  EXPECT_THAT(findings_of(kernel), IsEmpty());
}

TEST(CheckMemoryTest, ReportsAccessBeyondStaticSharedVariable) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float first[10];
  __shared__ float second[64];
  second[threadIdx.x] = 1;
  first[threadIdx.x / 5] = 1;
  __syncthreads();
  y[threadIdx.x] = second[threadIdx.x];
})"};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("at byte 40 of shared variable \"first\" (it has 40 bytes;"),
                                HasSubstr("thread (50, 0, 0), at k.cu:5"))));
}

TEST(CheckMemoryTest, ReportsAccessBeyondNamespaceSharedVariable) {
  const CheckedKernel kernel{.source = R"(namespace a { __shared__ float first[10]; }
__shared__ float second[64];
__device__ float get(int i) { return second[i]; }
__global__ void k(const float* x, float* y, int n) {
  second[threadIdx.x] = 1;
  a::first[threadIdx.x / 5] = 1;
  __syncthreads();
  y[threadIdx.x] = get(threadIdx.x);
})"};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("at byte 40 of shared variable \"a::first\" (it has 40 bytes;"),
                                HasSubstr("thread (50, 0, 0), at k.cu:6"))));
}

TEST(CheckMemoryTest, ReportsAccessBeyondDynamicSharedMemory) {
  const CheckedKernel kernel{.source = R"(extern __shared__ float all[];
__global__ void k(const float* x, float* y, int n) {
  all[threadIdx.x] = 1;
})",
                             .dynamic_bytes = 100};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("at byte 100 of the dynamic shared memory (it has 100 bytes"),
                                HasSubstr("thread (25, 0, 0), at k.cu:3"))));
}

TEST(CheckMemoryTest, ReportsAccessBeyondLocalOrGlobalVariable) {
  const CheckedKernel own{.source = R"(__global__ void k(const float* x, float* y, int n) {
  float own[4];
  for (int i = 0; i < 4; ++i) own[i] = x[i];
  y[threadIdx.x] = own[threadIdx.x % 5];
})",
                          .block = {5}};
  EXPECT_THAT(findings_of(own),
              ElementsAre(AllOf(HasSubstr("reads 4 bytes at byte 16 of a variable"), HasSubstr("k.cu:4"))));
  const CheckedKernel global{.source = R"(__constant__ float table[3] = {1, 2, 3};
__global__ void k(const float* x, float* y, int n) {
  const float* from = threadIdx.x < 2 ? table : x;
  y[threadIdx.x] = from[1] + table[threadIdx.x];
})",
                             .block = {4}};
  EXPECT_THAT(findings_of(global),
              ElementsAre(AllOf(HasSubstr("at byte 12 of a variable"), HasSubstr("thread (3, 0, 0), at k.cu:4"))));
}

TEST(CheckMemoryTest, ReportsCopiesAndFillsBeyondTensor) {
  const CheckedKernel kernel{.source = R"(struct Row { float v[40]; };
__global__ void k(const float* x, float* y, int n) {
  ((Row*)y)[1] = *(const Row*)x;
  __builtin_memset(y + 60, 0, 20);
})",
                             .block = {1}};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("writes 160 bytes at byte 160 of \"y\""), HasSubstr("k.cu:3")),
                          AllOf(HasSubstr("writes 20 bytes at byte 240"), HasSubstr("k.cu:4"))));
}

TEST(CheckMemoryTest, ReportsAtomicsBeyondTensor) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  atomicAdd(y + n, 1.0f);
})",
                             .block = {1}};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("updates 4 bytes at byte 256 of \"y\""), HasSubstr("k.cu:2"))));
}

TEST(CheckMemoryTest, ReportsUninitializedSharedMemory) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  if (threadIdx.x != 7) all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = all[63 - threadIdx.x];
})",
                             .grid = {Expr(2)}};
  EXPECT_THAT(
      findings_of(kernel),
      ElementsAre(AllOf(HasSubstr("reads 4 bytes of shared variable \"all\" that no thread wrote (byte 28; block "
                                  "(0, 0, 0), thread (56, 0, 0), at k.cu:5)"),
                        HasSubstr("Seen 2 times."))));
}

/// Returns a kernel in which each thread sets a shared variable `s` by `write`, reads it by `read` after a barrier, and
/// uses `value`.
CheckedKernel with_records(const std::string& records, const std::string& write, const std::string& read,
                           const std::string& value) {
  return {.source = records + R"(
__global__ void k(const float* x, float* y, int n) {
  const int t = threadIdx.x;
  __shared__ S s[64];
)" + write + "\n  __syncthreads();\n" +
                    read + "\n  y[t] = " + value + ";\n}"};
}

TEST(CheckMemoryTest, IgnoresUninitializedBytesInRecordCopies) {
  const std::string read = "S q = s[63 - t];";
  for (const CheckedKernel& kernel :
       {with_records("struct S { double value; int place; };", "s[t].value = t; s[t].place = t;", read,
                     "q.value + q.place"),
        with_records("struct S { float a; bool b; };", "s[t].a = t; s[t].b = t & 1;", read, "q.a + q.b"),
        with_records("struct alignas(16) S { float a, b, c; };", "s[t].a = 1; s[t].b = 2; s[t].c = 3;", read,
                     "q.a + q.c"),
        with_records("struct S { float a; double b; char c; S() {} };", "s[t].a = t; s[t].b = t; s[t].c = t;", read,
                     "q.a + q.b + q.c"),
        with_records("union S { float a; double b[4]; };", "s[t].a = t;", read, "q.a"),
        with_records("struct S { float a; int is_there; };", "s[t].is_there = t == 70; if (t == 70) s[t].a = 1;", read,
                     "q.is_there ? q.a : 0"),
        with_records("struct S { char a; short b; char c; int d; };", "s[t].a = s[t].b = s[t].c = s[t].d = t;",
                     "S q[2]; q[t % 2] = s[63 - t]; S& p = q[t % 2];", "p.a + p.b + p.c + p.d")}) {
    EXPECT_THAT(findings_of(kernel), IsEmpty()) << kernel.source;
  }
}

TEST(CheckMemoryTest, TracksUninitializedBytesThroughCopies) {
  const std::string records = "struct S { double value; int place, other; };";
  const std::string write =
      "if (t < 32) { s[t].value = t; s[t].place = t; } __syncthreads(); if (t >= 32) s[t] = s[t - 32];";
  EXPECT_THAT(findings_of(with_records(records, write, "", "s[63 - t].value + s[63 - t].place")), IsEmpty());
  EXPECT_THAT(findings_of(with_records(records, write + " __syncthreads(); s[t] = s[t];", "", "s[63 - t].other")),
              ElementsAre(AllOf(HasSubstr("reads 4 bytes of shared variable \"s\" that no thread wrote (byte 1020;"),
                                HasSubstr("Seen 64 times."))));
  EXPECT_THAT(findings_of(with_records(records, "if (t == 0) s[0].value = 1; else s[t] = s[t];", "", "s[t].value")),
              ElementsAre(AllOf(HasSubstr("no thread wrote (byte 16;"), HasSubstr("Seen 63 times."))));
}

TEST(CheckMemoryTest, ReportsCopyOfUninitializedRecord) {
  const char* const records = "struct S { double value; int place; };";
  const char* const write = "if (t != 7) { s[t].value = t; s[t].place = t; }";
  const auto whole = AllOf(HasSubstr("reads 16 bytes of shared variable \"s\" that no thread wrote (byte 112;"),
                           HasSubstr("thread (56, 0, 0), at k.cu:7"));
  EXPECT_THAT(findings_of(with_records(records, write, "S q = s[63 - t];", "q.value")), ElementsAre(whole));
  EXPECT_THAT(findings_of(with_records(records, write, "((S*)y)[t % 16] = s[63 - t];", "0")), testing::Contains(whole));
  EXPECT_THAT(findings_of(with_records("typedef float2 S;", "", "S q = s[t];", "q.x + q.y")),
              ElementsAre(HasSubstr("reads 8 bytes of shared variable \"s\" that no thread wrote (byte 0;")));
}

TEST(CheckMemoryTest, ReportsUninitializedRecordMember) {
  EXPECT_THAT(findings_of(with_records("struct S { double value; int place; };", "s[t].value = t;", "", "s[t].place")),
              ElementsAre(HasSubstr("reads 4 bytes of shared variable \"s\" that no thread wrote (byte 8;")));
}

TEST(CheckMemoryTest, IgnoresReadsInBitFieldWrites) {
  const std::string records = "struct S { unsigned a : 3, b : 5, c : 17; int d : 4; };";
  EXPECT_THAT(findings_of(with_records(records, "s[t].a = t; s[t].b = t; s[t].c = t; s[t].d = t;", "S q = s[63 - t];",
                                       "s[63 - t].a + s[t].b + s[t].c + s[t].d + q.a + q.d")),
              IsEmpty());
  EXPECT_THAT(findings_of(with_records(records, "s[t].b = 3;", "", "s[63 - t].b")), IsEmpty());
  EXPECT_THAT(findings_of(with_records(records, "", "", "s[63 - t].a")),
              ElementsAre(HasSubstr("of shared variable \"s\" that no thread wrote")));
  EXPECT_THAT(findings_of(with_records("typedef unsigned S;", "s[t] += 1;", "", "s[t]")),
              ElementsAre(HasSubstr("reads 4 bytes of shared variable \"s\" that no thread wrote (byte 0;")));
}

TEST(CheckMemoryTest, ChecksWorkspacesAndAcceptsRawPointers) {
  ProgramBuilder builder("sample");
  builder.pointer("p").variant("cuda").workspace("w", 64);
  builder.source("k.cu", "__global__ void k(int* p, int* w) { *p = 3; w[threadIdx.x] = *p; }");
  builder.launch("k").grid({Expr(1)}).block({Expr(17)}).args({"p", "w"});
  Workbench bench;
  auto kernel = bench.load(builder.build().value(), {{"check", "on"}});
  ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  int target = 0;
  const Status status = (*kernel)({slot(&target)});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(target, 3);
  EXPECT_THAT(status.error().message, HasSubstr("at byte 64 of \"w\" (it has 64 bytes;"));
  EXPECT_THAT(status.error().notes, IsEmpty());
}

// The extents of heap allocations in kernels are unknown: an address outside of all tensors may be on the heap.
TEST(CheckMemoryTest, AcceptsHeapMemory) {
  const CheckedKernel kernel{.source = R"(struct Node { float value; Node* next; };
__global__ void k(const float* x, float* y, int n) {
  Node* const two = new Node{x[threadIdx.x], new Node{1, nullptr}};
  float* const some = (float*)malloc(8);
  some[1] = two->next->value + two->value;
  y[threadIdx.x] = some[1];
  delete two->next;
  delete two;
  free(some);
})"};
  const auto y = kernel();
  ASSERT_TRUE(y.ok()) << y.error().explain();
  EXPECT_EQ((*y)[63], 64);
}

// A constructor that kernels also call runs when the code is loaded, outside of any launch.
TEST(CheckMemoryTest, ConstructorsOfGlobalsRunUnchecked) {
  const CheckedKernel kernel{.source = R"(struct Value { float v; __device__ Value() : v(9) {} };
__device__ Value value;
__global__ void k(const float* x, float* y, int n) {
  Value own;
  y[threadIdx.x] = own.v + value.v;
})"};
  const auto y = kernel();
  ASSERT_TRUE(y.ok()) << y.error().explain();
  EXPECT_EQ((*y)[63], 18);
}

}  // namespace
}  // namespace kmux::cpu
