// Inline PTX in CUDA kernels, vectorized and on fibers: memory, atomics, and exchanges between lanes. The values of
// arithmetic are tested in plugins/simt/tests.
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "checked_kernel.h"

namespace kmux::cpu {
namespace {

using u32 = std::uint32_t;
constexpr int kThreads = CheckedKernel::kElements;

// Compares y[i] of a kernel with this body, whose x[i] is i, with the bits of expected(i): vectorized, and on fibers.
void expect_bits(const std::string& body, const std::function<u32(u32)>& expected, const std::string& before = "") {
  for (const Options& options : {Options{{"tier", "full"}}, Options{{"tier", "fast"}}, Options{{"check", "on"}}}) {
    const CheckedKernel kernel{.source = before + "\n__global__ void k(const float* x, float* y, int n) {\n" +
                                         "  const unsigned t = threadIdx.x;\n  unsigned r = 0;\n" + body +
                                         "\n  y[t] = __uint_as_float(r);\n}\n",
                               .options = options};
    Workbench bench;
    const auto result = kernel(bench);
    ASSERT_TRUE(result.ok()) << result.error().explain() << "\n" << kernel.source;
    EXPECT_THAT(bench.host.log, testing::Not(HasSubstr("which is slow"))) << kernel.source;
    for (u32 i = 0; i < kThreads; ++i)
      ASSERT_EQ(std::bit_cast<u32>((*result)[i]), expected(i))
          << "thread " << i << options.begin()->second << kernel.source;
  }
}

u32 float_bits(float x) { return std::bit_cast<u32>(x); }

TEST(DevicePtxTest, LoadsAndStoresMemory) {
  expect_bits(R"(
  unsigned a, b, c, d, h;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(x + t / 4 * 4));
  asm volatile("ld.global.u16 %0, [%1 + 2];" : "=r"(h) : "r"(x + t));
  r = (t % 4 == 0 ? a : t % 4 == 1 ? b : t % 4 == 2 ? c : d) + h;)",
              [](u32 i) { return float_bits(static_cast<float>(i)) + (float_bits(static_cast<float>(i)) >> 16); });
  expect_bits(R"(
  if (t % 2 == 0) asm volatile("st.global.v2.b32 [%0], {%1, %2};" :: "r"(y + t), "r"(t / 2), "r"(t / 2 + 100) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("st.relaxed.gpu.global.u8 [%0 + 1], %1;" :: "r"(y + t), "r"(t + 256) : "memory");
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(r) : "r"(y + t) : "memory");)",
              [](u32 i) { return i / 2 + 100 * (i % 2) + (i << 8); });
}

TEST(DevicePtxTest, AddressesSharedMemory) {
  expect_bits(R"(
  __shared__ unsigned other[4];
  __shared__ unsigned tile[64];
  unsigned place, generic;
  other[t % 4] = 7;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(place) : "r"(tile));
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(place + 4 * t), "r"(3 * t) : "memory");
  asm volatile("bar.sync %0;" :: "n"(0) : "memory");
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(place + 4 * (63 - t)) : "memory");
  asm volatile("{ .reg .u64 a; cvt.u64.u32 a, %1; cvta.shared.u64 a, a; ld.u32 %0, [a]; }" : "=r"(generic) : "r"(place + 4 * t) : "memory");
  r += 1000 * generic + other[t % 4];)",
              [](u32 i) { return 3 * (63 - i) + 3000 * i + 7; });
}

TEST(DevicePtxTest, UpdatesMemoryAtomically) {
  expect_bits(R"(
  __shared__ unsigned sum, most, wrapped, swapped, halves, count;
  if (t == 0) { sum = 5; most = 0; wrapped = 0; swapped = 0; halves = 0x3c003c00; count = 0; }
  __syncthreads();
  unsigned old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(&sum), "r"(t) : "memory");
  asm volatile("red.release.gpu.max.u32 [%0], %1;" :: "r"(&most), "r"(t * 3) : "memory");
  asm volatile("atom.inc.u32 %0, [%1], 9;" : "=r"(old) : "r"(&wrapped) : "memory");
  asm volatile("atom.cas.b32 %0, [%1], 0, %2;" : "=r"(old) : "r"(&swapped), "r"(77) : "memory");
  asm volatile("red.add.noftz.f16x2 [%0], %1;" :: "r"(&halves), "r"(0x40003800) : "memory");
  if (old == 0) asm volatile("atom.global.add.s32 _, [%0], 1;" :: "r"(&count) : "memory");
  __syncthreads();
  r = t == 0 ? sum : t == 1 ? most : t == 2 ? wrapped : t == 3 ? swapped : t == 4 ? halves : count;)",
              [](u32 i) {
                constexpr u32 kExpected[] = {5 + 63 * 32, 189, 4, 77, 0x58085020};
                return i < 5 ? kExpected[i] : 1;
              });
}

// Returns the source lane of a shuffle, as the PTX ISA has it, and whether it is in range in bit 8.
u32 source_of(int mode, int lane, int b, int c) {
  const int segment = c >> 8 & 31, bound = c & 31;
  const int most = (lane & segment) | (bound & ~segment), least = lane & segment;
  int j = mode == 0 ? lane - b : mode == 1 ? lane + b : mode == 2 ? lane ^ b : least | (b & ~segment);
  const bool is_inside = mode == 0 ? j >= most : j <= most;
  if (!is_inside) j = lane;
  return static_cast<u32>(j) | (is_inside ? 256 : 0);
}

TEST(DevicePtxTest, ShufflesLanes) {
  constexpr const char* kModes[] = {"up", "down", "bfly", "idx"};
  for (int mode = 0; mode < 4; ++mode) {
    for (const int c : {mode == 0 ? 0 : 31, 0x1800 | (mode == 0 ? 0 : 31), 0x1000 | 12}) {
      const std::string body = std::string("  asm volatile(\"{ .reg .pred p; shfl.sync.") + kModes[mode] +
                               ".b32 %0|p, %1, 5, " + std::to_string(c) +
                               ", -1; @p add.u32 %0, %0, 256; }\" : \"=r\"(r) : \"r\"(t & 31));";
      expect_bits(body, [&](u32 i) { return source_of(mode, static_cast<int>(i & 31), 5, c); });
    }
  }
}

TEST(DevicePtxTest, VotesAndReduces) {
  expect_bits(R"(
  unsigned ballot, all, any, match, sum, least, leader;
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 20; vote.sync.ballot.b32 %0, p, -1; }" : "=r"(ballot) : "r"(t));
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.all.pred q, p, -1; selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"(t));
  asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 40; vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(t));
  asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(match) : "r"(t % 3));
  sum = 0;
  if ((0xff00ff00 >> (t & 31) & 1) != 0) asm volatile("redux.sync.add.u32 %0, %1, 0xff00ff00;" : "=r"(sum) : "r"(t));
  asm volatile("redux.sync.min.s32 %0, %1, -1;" : "=r"(least) : "r"(5 - (int)t));
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xfffffff8; @p add.u32 %0, %0, 100; }" : "=r"(leader));
  r = ballot ^ (match << 1) ^ (all + 2 * any + 4 * leader + 16 * sum + 64 * least);)",
              [](u32 i) {
                const u32 warp = i / 32, first = 32 * warp;
                u32 ballot = 0, match = 0, sum = 0;
                for (u32 k = 0; k < 32; ++k) {
                  ballot |= (first + k > 20 ? 1U : 0U) << k;
                  match |= ((first + k) % 3 == i % 3 ? 1U : 0U) << k;
                  sum += (0xff00ff00U >> k & 1) != 0 ? first + k : 0;
                }
                sum = (0xff00ff00U >> (i % 32) & 1) != 0 ? sum : 0;
                const u32 leader = 3 + (i % 32 == 3 ? 100 : 0), least = 5 - (first + 31);
                return ballot ^ (match << 1) ^
                       ((warp == 0 ? 1 : 0) + (warp == 1 ? 2 : 0) + 4 * leader + 16 * sum + 64 * least);
              });
}

TEST(DevicePtxTest, RunsDivergentLanes) {
  expect_bits(R"(
  if (t % 3 == 1) {
    unsigned active;
    asm volatile("activemask.b32 %0;" : "=r"(active));
    asm volatile("{\n .reg .pred p;\n .reg .u32 n;\n mov.u32 n, %1;\n LOOP_%=: shr.u32 n, n, 1;\n add.u32 %0, %0, 1;\n"
                 " setp.ne.u32 p, n, 0;\n @p bra LOOP_%=;\n }" : "+r"(r) : "r"(t));
    r += active & 0xff00;
  }
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %0, 60; @p st.global.u32 [%1], 9; }" :: "r"(t), "r"(y + t) : "memory");
  unsigned stored;
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 60; mov.u32 %0, 0; @p ld.global.u32 %0, [%2]; }" : "=&r"(stored) : "r"(t), "r"(y + t) : "memory");
  r += stored;)",
              [](u32 i) {
                u32 active = 0;
                for (u32 k = 0; k < 32; ++k) active |= ((i / 32 * 32 + k) % 3 == 1 ? 1U : 0U) << k;
                const u32 length = static_cast<u32>(std::bit_width(i));
                return (i % 3 == 1 ? length + (active & 0xff00) : 0) + (i > 60 ? 9 : 0);
              });
}

TEST(DevicePtxTest, ReadsIndicesAndOrdersMemory) {
  expect_bits(R"(
  unsigned a, b, c, d;
  asm("mov.u32 %0, %%tid.x;" : "=r"(a));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(b));
  asm("mov.u32 %0, %%ctaid.y;" : "=r"(c));
  asm("mov.u32 %0, %%nctaid.z;" : "=r"(d));
  unsigned rank, blocks;
  asm("{ .reg .u32 a; mov.u32 %0, %%cluster_ctarank; mov.u32 a, %%cluster_ctaid.x; add.u32 %0, %0, a; }" : "=r"(rank));
  asm("{ .reg .u32 a; mov.u32 %0, %%cluster_nctaid.x; mov.u32 a, %%nclusterid.x; add.u32 %0, %0, a; }" : "=r"(blocks));
  asm volatile("fence.acq_rel.gpu; membar.cta; nanosleep.u32 20; prefetch.global.L2 [%0]; griddepcontrol.wait;" :: "r"(x) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  r = a + 100 * b + c + 10000 * d + 100000 * rank + 1000000 * blocks;)",
              [](u32 i) { return i + 6400 + 10000 + 2000000; });
}

TEST(DevicePtxTest, TrapEndsTheLaunch) {
  for (const char* const check : {"off", "on"}) {
    const CheckedKernel kernel{
        .source =
            "__global__ void k(const float* x, float* y, int n) {\n"
            "  asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %0, 7; @p trap; }\" :: \"r\"(threadIdx.x));\n}",
        .options = {{"check", check}}};
    const auto result = kernel();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kLaunchFailed) << result.error().explain();
    EXPECT_THAT(result.error().message, AllOf(HasSubstr("trap"), HasSubstr("thread (7, 0, 0)")));
  }
}

TEST(DevicePtxTest, RefusalsNameInstructionAndLine) {
  const auto refused = [](const std::string& statement) {
    const CheckedKernel kernel{.source = "__global__ void k(const float* x, float* y, int n) {\n  asm volatile(\"" +
                                         statement + "\" :: \"r\"(n));\n}",
                               .options = {}};
    const auto result = kernel();
    if (result.ok()) return std::string("it ran");
    EXPECT_EQ(result.error().code, ErrorCode::kUnsupported) << result.error().explain();
    return result.error().message;
  };
  EXPECT_THAT(refused("{ .reg .pred p; setp.ne.b32 p, %0, 0; }\\n\\ttcgen05.fence::before_thread_sync;"),
              AllOf(HasSubstr("whose instruction \"tcgen05.fence::before_thread_sync\" is not for this processor (it "
                              "needs tensor memory). Write it in C++"),
                    HasSubstr("(k.cu:2)")));
  EXPECT_THAT(refused("add.rz.u32 %0, %0, %0;"),
              HasSubstr("\"add.rz.u32\" is not for this processor (\".rz\" is unknown)"));
  EXPECT_THAT(refused("{ .reg .b64 d; mov.b64 d, %0; }"), HasSubstr("operand \"%0\" has 32 bits instead of 64"));
  EXPECT_THAT(refused("frobnicate.u32 %0;"), HasSubstr("\"frobnicate.u32\" is not for this processor (it is unknown)"));
  EXPECT_THAT(refused("ld.global.nc.v2.quux.u32 {%0, %0}, [%0];"), HasSubstr("(\".quux\" is unknown)"));
  EXPECT_THAT(refused("setmaxnreg.inc.sync.aligned.u32 20;"),
              HasSubstr("(its registers must be a multiple of 8 from 24 to 256)"));
  EXPECT_THAT(refused("bar.arrive 1;"), HasSubstr("(the number of threads is missing)"));
}

}  // namespace
}  // namespace kmux::cpu
