// Option check=on: reads of shared memory by wgmma. Each kernel is right, and wrong with a change.
#include "seeded_bugs.h"

namespace kmux::cpu::seeded_bugs {
namespace {

TEST(CheckProductsTest, MatricesAreFencedAndOrdered) {
  expect_found(
      {.body = R"(
  __shared__ alignas(1024) float a[512];
  __shared__ alignas(1024) float b[64];
  for (int i = t; i < 512; i += 128) a[i] = x[i];
  if (t < 64) b[t] = x[t];
  fence();
  __syncthreads();
  float d[4] = {};
  multiply(d, a, b);
  commit_products();
  wait_products<0>();
  __syncthreads();
  a[t] = 1;
  y[t] = d[0];)",
       .bugs = {{"fence();", "",
                 "lets wgmma read 16 bytes of shared variable \"a\" that a thread wrote with no "
                 "fence.proxy.async between (byte 0, thread number 0 of the block at",
                 "multiply(d, a, b)", "a[i] = x[i]"},
                {"fence();\n  __syncthreads();", "__syncthreads();\n  if (t == 0) fence();",
                 "lets wgmma read 16 bytes of shared variable \"a\" that a thread wrote with no "
                 "fence.proxy.async between",
                 "multiply(d, a, b)", "a[i] = x[i]"},
                {"__syncthreads();\n  float", "float",
                 "lets wgmma read 16 bytes of shared variable \"a\" that another thread wrote with no barrier",
                 "multiply(d, a, b)"},
                {"wait_products<0>();", "",
                 "writes 4 bytes of shared variable \"a\" that wgmma may still read (byte 0, wgmma of warps 0 to 3 of "
                 "the block at",
                 "a[t] = 1;", "multiply(d, a, b)"},
                {"wait_products<0>();", "wait_products<1>();", "that wgmma may still read", "a[t] = 1;"},
                {"commit_products();", "", "that wgmma may still read", "a[t] = 1;"}}});
}

// The fence of a warp that multiplies is right, too: it has waited for all writers.
TEST(CheckProductsTest, WarpsMayFenceBehindTheBarrier) {
  expect_found({.body = R"(
  __shared__ alignas(1024) float a[512];
  __shared__ alignas(1024) float b[64];
  for (int i = t; i < 512; i += 128) a[i] = x[i];
  if (t < 64) b[t] = x[t];
  __syncthreads();
  fence();
  float d[4] = {};
  multiply(d, a, b);
  commit_products();
  wait_products<0>();
  y[t] = d[0];)"});
}

constexpr const char* kPipeline = R"(
  __shared__ alignas(1024) float a[512];
  __shared__ alignas(1024) float b[64];
  __shared__ unsigned long long full, empty;
  if (t == 0) init(&full, 1), init(&empty, 128);
  __syncthreads();
  if (t == 128) {
    for (int i = 0; i < 3; ++i) {
      wait(&empty, i % 2 ^ 1);
      expect(&full, 2304);
      load(a, x, 2048, &full);
      load(b, x + 512, 256, &full);
    }
  } else if (t < 128) {
    float d[4] = {};
    for (int i = 0; i < 3; ++i) {
      wait(&full, i % 2);
      multiply(d, a, b);
      commit_products();
      wait_products<0>();
      arrive(&empty);
    }
    y[t] = d[0];
  })";

TEST(CheckProductsTest, PipelinesWaitForTilesAndForProducts) {
  expect_found(
      {.body = kPipeline,
       .bugs = {{"wait(&full, i % 2);", "",
                 "lets wgmma read 16 bytes of shared variable \"a\" that an asynchronous copy writes, without "
                 "waiting for its mbarrier",
                 "multiply(d, a, b)", "load(a,"},
                {"wait(&full, i % 2);", "wait(&full, i % 2 ^ 1);", "without waiting for its mbarrier",
                 "multiply(d, a, b)", "load(a,"},
                {"wait_products<0>();\n      arrive(&empty);", "arrive(&empty);\n      wait_products<0>();",
                 "lets an asynchronous copy write 2048 bytes of shared variable \"a\" that wgmma may still read "
                 "(byte 0, wgmma of warps 0 to 3 of the block",
                 "load(a,", "multiply(d, a, b)"},
                {"wait_products<0>();", "wait_products<1>();", "that wgmma may still read", "load(a,"},
                {"2304", "2048", "lets wgmma read 16 bytes of shared variable \"b\" that an asynchronous copy writes",
                 "multiply(d, a, b)", "load(b,"}},
       .block = 256});
}

TEST(CheckProductsTest, TilesHaveTheSwizzleOfTheirMap) {
  expect_found({.body = R"(
  __shared__ alignas(1024) float a[1024];
  __shared__ unsigned long long full;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 4096);
    for (int i = 0; i < 4; ++i) tensor_load(a + 256 * i, &map, 0, 8 * i, &full);
  }
  __syncthreads();
  wait(&full, 0);
  float d[4] = {};
  multiply(d, a, a, 1);
  commit_products();
  wait_products<0>();
  y[t] = d[0];)",
                .bugs = {{"multiply(d, a, a, 1);", "multiply(d, a, a, 2);",
                          "lets wgmma read 16 bytes of shared variable \"a\" with another swizzle than its tile has (a "
                          "swizzle of 64 bytes instead of a swizzle of 128 bytes",
                          "multiply(d, a, a, 2)"},
                         {"multiply(d, a, a, 1);", "multiply(d, a, a, 0);",
                          "no swizzle instead of a swizzle of 128 bytes", "multiply(d, a, a, 0)"},
                         {"wait(&full, 0);", "",
                          "lets wgmma read 16 bytes of shared variable \"a\" that an asynchronous copy writes, without "
                          "waiting for its mbarrier",
                          "multiply(d, a, a, 1)", "tensor_load(a"}}});
}

TEST(CheckProductsTest, WarpsOfAGroupTakeTheSamePath) {
  expect_found(
      {.body = R"(
  __shared__ alignas(1024) float a[512];
  for (int i = t; i < 512; i += 128) a[i] = x[i];
  fence();
  __syncthreads();
  float d[4] = {};
  multiply(d, a, a);
  commit_products();
  wait_products<0>();
  y[t] = d[0];)",
       .bugs = {{"multiply(d, a, a);", "if (t < 32)\n    multiply(d, a, a);\n  else\n    multiply(d, a, a + 0);",
                 "executes another wgmma than the other warps of its group of four (they execute the wgmma at",
                 "multiply(d, a, a + 0)", "multiply(d, a, a);"},
                {"multiply(d, a, a);", "if (t < 96) multiply(d, a, a);",
                 "executes wgmma in some warps of a group of four alone (the others have ended before",
                 "multiply(d, a, a);"}}});
}

// Both matrices in shared memory, as wgmma may read them.
constexpr const char* kTiles = R"(
  __shared__ alignas(1024) float a[512];
  __shared__ alignas(1024) float b[64];
  for (int i = t; i < 512; i += 128) a[i] = x[i];
  if (t < 64) b[t] = x[t];
  fence();
  __syncthreads();)";

constexpr const char* kSums = R"(
  float d[4], e[4] = {};
  for (int i = 0; i < 4; ++i) d[i] = x[i];
  multiply(d, a, b);
  commit_products();
  multiply(e, a, b);
  commit_products();
  wait_products<1>();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += d[i];
  wait_products<0>();
  for (int i = 0; i < 4; ++i) sum += 2 * e[i];
  y[t] = sum;)";

TEST(CheckProductsTest, ResultsAreUsedBehindTheWait) {
  const std::string early = "uses a result of wgmma before wgmma.wait_group (the wgmma at k.cu:";
  expect_found({.body = kTiles + std::string(kSums),
                .bugs = {{"wait_products<1>();", "", early, "sum += d[i]", "multiply(d, a, b)"},
                         {"wait_products<0>();", "", early, "sum += 2 * e[i]", "multiply(e, a, b)"},
                         {"wait_products<0>();", "if (t > 3) wait_products<0>();", early, "sum += 2 * e[i]"},
                         {"commit_products();\n  wait_products<1>();", "wait_products<1>();\n  commit_products();",
                          early, "sum += d[i]"}}});
}

// LLVM joins pairs of such sums to numbers of 64 bits.
TEST(CheckProductsTest, PairsOfIntegersAreUsedBehindTheWait) {
  expect_found(
      {.body = kTiles + std::string(R"(
  const unsigned long long offsets = 8ull << 16 | 16ull << 32;
  const unsigned long long of_a = (shared_address(a) & 0x3ffff) >> 4 | offsets, of_b = (shared_address(b) & 0x3ffff) >> 4 | offsets;
  alignas(16) int d[4];
  for (int i = 0; i < 4; i += 2) *(int2*)(d + i) = make_int2(0, 0);
  for (int k = 0; k < int(x[0]) + 2; ++k) {
    fence_products();
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, 1;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(of_a), "l"(of_b));
    commit_products();
    wait_products<0>();
  }
  for (int i = 0; i < 4; i += 2) *(int2*)(y + t * 4 + i) = *(int2*)(d + i);)"),
       .bugs = {{"wait_products<0>();", "", "uses a result of wgmma before wgmma.wait_group", "*(int2*)(y + t * 4"}}});
}

// Sums of a loop that waits for the round before, and for the last one behind the loop.
TEST(CheckProductsTest, ResultsOfALoopAreUsedBehindTheWait) {
  const std::string early = "uses a result of wgmma before wgmma.wait_group";
  expect_found({.body = kTiles + std::string(R"(
  float d[4] = {};
  for (int k = 0; k < int(x[0]) + 3; ++k) {
    multiply(d, a, b);
    commit_products();
    wait_products<1>();
    if (k == 100) break;
  }
  wait_products<0>();
  for (int i = 0; i < 4; ++i) y[t * 4 + i] = d[i];)"),
                .bugs = {{"wait_products<0>();", "", early, "y[t * 4 + i] = d[i]"},
                         {"if (k == 100) break;", "d[1] *= 2;", early, "d[1] *= 2"},
                         {"  if (k == 100) break;", "  y[k] = d[0];", early, "y[k] = d[0]"}}});
}

TEST(CheckProductsTest, RegistersAreWrittenBeforeTheFence) {
  const std::string product = R"(
  const unsigned long long of = 8ull << 16 | 16ull << 32;
  const unsigned long long of_b = (shared_address(b) & 0x3ffff) >> 4 | of;
  float d[4];
  unsigned f[4];
  for (int i = 0; i < 4; ++i) d[i] = x[i], f[i] = __float_as_uint(x[t + i]);
  fence_products();
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(of_b));
  commit_products();
  wait_products<0>();
  y[t] = d[0];)";
  const std::string late = "executes wgmma on registers written with no wgmma.fence between (written at k.cu:";
  expect_found({.body = R"(
  __shared__ alignas(1024) float b[64];
  if (t < 64) b[t] = x[t];
  fence();
  __syncthreads();)" + product,
                .bugs = {{"fence_products();\n", "", late, "{%4, %5, %6, %7}"},
                         {"fence_products();\n", "fence_products();\n  f[2] ^= t;\n", late, "{%4, %5, %6, %7}",
                          "f[2] ^= t;"},
                         {"fence_products();\n", "fence_products();\n  if (t > 5) d[3] = x[t];\n", late,
                          "{%4, %5, %6, %7}", "d[3] = x[t]"}}});
}

TEST(CheckProductsTest, GroupsAskForRegistersTogether) {
  const std::string wrappers = R"(
  const auto give = [] { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); };
  const auto take = [] { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); };
  const auto take_all = [] { asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); };)";
  expect_found(
      {.body = wrappers + R"(
  if (t < 128) {
    give();
  } else {
    take();
  }
  y[t] = x[t];)",
       .bugs =
           {{"  if (t < 128) {\n    give();", "  if (t < 128) {\n    take_all();",
             "asks by setmaxnreg for more registers than a block can have (its groups have 90112 of 65536",
             "const auto take = "},
            {"if (t < 128) {", "if (t < 64) {",
             "executes another setmaxnreg than the other warps of its group of four (they execute the setmaxnreg at",
             "const auto take = ", "const auto give = "},
            {"    give();", "    if (t > 31) give();", "executes setmaxnreg in some warps of a group of four alone",
             "const auto give = "}},
       .block = 384});
}

// As CUTLASS does: one thread of the four warps releases the tile, behind its own wait_group.
TEST(CheckProductsTest, OneThreadReleasesTheTileOfItsGroup) {
  expect_found({.body = R"(
  __shared__ alignas(1024) float a[512];
  __shared__ alignas(1024) float b[64];
  __shared__ unsigned long long full, empty;
  if (t == 0) init(&full, 1), init(&empty, 1);
  __syncthreads();
  if (t < 128) {
    float sum = 0;
    for (int r = 0; r < 3; ++r) {
      float d[4] = {};
      wait(&full, r & 1);
      multiply(d, a, b);
      commit_products();
      wait_products<0>();
      if (t == 5) arrive(&empty);
      sum += d[0];
    }
    y[t] = sum;
  } else if (t == 128) {
    for (int r = 0; r < 3; ++r) {
      if (r > 0) wait(&empty, r & 1 ^ 1);
      expect(&full, 2304);
      load(a, x + r * 32, 2048, &full);
      load(b, x + r * 32, 256, &full);
    }
  })",
                .bugs = {{"wait_products<0>();", "wait_products<1>();", "that wgmma may still read", "load(a,"}},
                .block = 256});
}

}  // namespace
}  // namespace kmux::cpu::seeded_bugs
