// Inline PTX in CUDA kernels, vectorized and on fibers: what the lanes of a warp exchange, and order. The values
// of arithmetic are tested in plugins/simt/tests.
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

// Compares y[i] of a kernel with this body, whose x[i] is i, with the bits of expected(i), in each way of running it.
void expect_bits(const std::string& body, const std::function<u32(u32)>& expected, const std::string& before = "") {
  for (const Options& options : {Options{{"tier", "full"}}, Options{{"tier", "fast"}}, Options{{"check", "on"}}}) {
    const CheckedKernel kernel{.source = before + "\n__global__ void k(const float* x, float* y, int n) {\n" +
                                         "  const unsigned t = threadIdx.x;\n  unsigned r = 0;\n" + body +
                                         "\n  y[t] = __uint_as_float(r);\n}\n",
                               .options = options};
    const auto result = kernel();
    ASSERT_TRUE(result.ok()) << result.error().explain() << "\n" << kernel.source;
    for (u32 i = 0; i < kThreads; ++i)
      ASSERT_EQ(std::bit_cast<u32>((*result)[i]), expected(i))
          << "thread " << i << options.begin()->second << kernel.source;
  }
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

TEST(DevicePtxTest, ReadsIndicesAndOrdersMemory) {
  expect_bits(R"(
  unsigned a, b, c, d;
  asm("mov.u32 %0, %%tid.x;" : "=r"(a));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(b));
  asm("mov.u32 %0, %%ctaid.y;" : "=r"(c));
  asm("mov.u32 %0, %%nctaid.z;" : "=r"(d));
  asm volatile("fence.acq_rel.gpu; membar.cta; nanosleep.u32 20; prefetch.global.L2 [%0]; griddepcontrol.wait;" :: "l"(x) : "memory");
  asm volatile("fence.proxy.async.shared::cta; setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
  r = a + 100 * b + c + 10000 * d;)",
              [](u32 i) { return i + 6400 + 10000; });
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
  EXPECT_THAT(refused("{ .reg .pred p; setp.ne.b32 p, %0, 0; }\\n\\tmbarrier.init.shared::cta.b64 [%0], 1;"),
              AllOf(HasSubstr("whose instruction \"mbarrier.init.shared::cta.b64\" is not for this processor (it needs "
                              "barriers in shared memory that count). Write it in C++"),
                    HasSubstr("(k.cu:2)")));
  EXPECT_THAT(refused("add.rz.u32 %0, %0, %0;"),
              HasSubstr("\"add.rz.u32\" is not for this processor (\".rz\" is unknown)"));
  EXPECT_THAT(refused("{ .reg .b64 d; mov.b64 d, %0; }"), HasSubstr("operand \"%0\" has 32 bits instead of 64"));
  EXPECT_THAT(refused("frobnicate.u32 %0;"), HasSubstr("\"frobnicate.u32\" is not for this processor (it is unknown)"));
  EXPECT_THAT(refused("bar.sync 1, 64;"), HasSubstr("it needs named barriers, unless it is \"bar.sync 0\""));
}

}  // namespace
}  // namespace kmux::cpu
