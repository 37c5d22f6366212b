// Functions that a kernel calls through a pointer: in a table, of a class, or left in memory by another kernel.
#include <gmock/gmock.h>

#include "checked_kernel.h"
#include "device_call.h"

namespace kmux::cpu {
namespace {

// Returns 64 floats that count down to 0.
std::vector<float> reversed() {
  std::vector<float> y(64);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(63 - i);
  return y;
}

std::vector<float> counted() {
  std::vector<float> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  return x;
}

// A function with a block barrier and shared memory, and one whose warp's lanes exchange values.
constexpr const char* kReverse = R"(
__device__ float reverse(const float* x) {
  __shared__ float s[64];
  s[threadIdx.x ^ 1] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
  __syncthreads();
  return s[63 - threadIdx.x];
}
__device__ float same(const float* x) { return x[threadIdx.x]; }
)";

TEST(DevicePointersTest, TableFunctionUsesSharedMemory) {
  const std::string source = std::string(kReverse) + R"(
__device__ float (*table[])(const float*) = {same, reverse};
__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = table[n / 64](x); })";
  EXPECT_EQ(elements<float>({source}, counted()), reversed());
}

TEST(DevicePointersTest, VirtualFunctionUsesSharedMemory) {
  const std::string source = std::string(kReverse) + R"(
struct Base { __device__ virtual float f(const float* x) const = 0; };
struct Same : Base { __device__ float f(const float* x) const override { return same(x); } };
struct Reverse : Base { __device__ float f(const float* x) const override { return reverse(x); } };
__global__ void k(const float* x, float* y, int n) {
  Same a;
  Reverse b;
  const Base* const all[] = {&a, &b};
  y[threadIdx.x] = all[*(volatile int*)&n / 64]->f(x);
})";
  EXPECT_EQ(elements<float>({source}, counted()), reversed());
}

TEST(DevicePointersTest, FunctionStoredByAnotherKernelUsesSharedMemory) {
  ProgramBuilder builder("left");
  builder.pointer("x").pointer("y");
  builder.variant("cuda").source("k.cu", std::string(kReverse) + R"(
__device__ float (*left)(const float*);
extern "C" __global__ void leave(int n) { left = n > 0 ? reverse : same; }
extern "C" __global__ void k(const float* x, float* y) { y[threadIdx.x] = left(x); })");
  builder.launch("leave").grid({1}).block({1}).arg(Expr(1));
  builder.launch("k").grid({1}).block({64}).args({"x", "y"});
  const Program program = builder.build().value();
  const std::vector<float> x = counted();
  for (const char* tier : {"fast", "full"}) {
    Workbench bench;
    auto loaded = bench.load(program, {{"tier", tier}});
    ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
    std::vector<float> y(64);
    ASSERT_TRUE((*loaded)({slot(const_cast<float*>(x.data())), slot(y.data())}).ok());
    EXPECT_EQ(y, reversed()) << tier;
  }
}

TEST(DevicePointersTest, CalledFunctionsAreChecked) {
  const CheckedKernel kernel{.source = R"(__device__ float behind(const float* x) { return x[threadIdx.x + 1]; }
__device__ float (*table[])(const float*) = {behind, behind};
__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = table[n & 1](x); })"};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("reads 4 bytes at byte 256 of \"x\""), HasSubstr("k.cu:1"))));
}

Error refused(const std::string& source) {
  const Error error = device_failure({source});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  return error;
}

TEST(DevicePointersTest, GpuOnlyFunctionsAreRejected) {
  EXPECT_THAT(refused(R"(__device__ long long (*table[])() = {clock64, clock64};
__global__ void k(const float* x, float* y, int n) { y[0] = table[n & 1](); })")
                  .message,
              HasSubstr("k.cu:2: \"clock64\" is not for this processor"));
  EXPECT_THAT(refused(R"(struct Base { __device__ virtual float f() { return clock64(); } };
__global__ void k(const float* x, float* y, int n) { Base b; Base* volatile p = &b; y[0] = p->f(); })")
                  .message,
              HasSubstr("k.cu:1: \"clock64\" is not for this processor"));
  constexpr const char* kFenced = "__device__ void fence() { asm volatile(\"tcgen05.fence::before_thread_sync;\"); }\n";
  EXPECT_THAT(refused(kFenced + std::string(R"(__device__ void (*table[])() = {fence, fence};
__global__ void k(const float* x, float* y, int n) { table[n & 1](); })"))
                  .message,
              AllOf(HasSubstr("\"fence\" has the inline assembly \"tcgen05.fence::before_thread_sync;\""),
                    HasSubstr("(k.cu:1)")));
  EXPECT_THAT(refused(kFenced + std::string(R"(__device__ void (*kept)();
__global__ void k(const float* x, float* y, int n) { kept = fence; })"))
                  .message,
              HasSubstr("\"fence\" has the inline assembly \"tcgen05.fence::before_thread_sync;\""));
}

TEST(DevicePointersTest, TablesOfOtherKernelsAreIgnored) {
  const std::string source = R"(__device__ void fence() { asm volatile("tcgen05.fence::before_thread_sync;"); }
__device__ void (*others[])() = {fence, fence};
__global__ void other(int n) { others[n & 1](); }
__device__ float one() { return 1; }
__device__ float two() { return 2; }
__device__ float (*table[])() = {one, two};
__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = table[n / 64](); })";
  EXPECT_EQ(elements<float>({source}, counted()), std::vector<float>(64, 2));
}

}  // namespace
}  // namespace kmux::cpu
