// Option check=on: copies beside threads, ordered by mbarriers, groups and fences. Each kernel is right, and wrong with a
// change.
#include "seeded_bugs.h"

namespace kmux::cpu::seeded_bugs {
namespace {

TEST(CheckCopiesTest, LoadsAreReadAfterTheirPhase) {
  expect_found(
      {.body = R"(
  __shared__ alignas(16) float tile[64];
  __shared__ unsigned long long full;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect(&full, 256);
    load(tile, x, 128, &full);
    load(tile + 32, x + 32, 128, &full);
  }
  wait(&full, 0);
  y[t] = tile[t % 64];)",
       .bugs = {{"wait(&full, 0);", "__syncthreads();",
                 "reads 4 bytes of shared variable \"tile\" that an asynchronous copy writes, without waiting "
                 "for its mbarrier (byte 0, a copy that completes at the mbarrier at byte ",
                 "tile[t % 64]", "load(tile, "},
                {"wait(&full, 0);", "if (t == 0) wait(&full, 0);", "without waiting for its mbarrier", "tile[t % 64]"},
                {"__syncthreads();", "", "uses an mbarrier before its initialisation is visible (byte ",
                 "wait(&full, 0);", "init(&full, 1);"}}});
}

// The second copy is not of the phase that threads wait for.
TEST(CheckCopiesTest, PhasesExpectAllBytes) {
  expect_found(
      {.body = R"(
  __shared__ alignas(16) float tile[64];
  __shared__ unsigned long long full;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect(&full, 256);
    load(tile, x, 128, &full);
    load(tile + 32, x + 32, 128, &full);
  }
  wait(&full, 0);
  y[t] = tile[t % 64];)",
       .bugs = {{"256", "128", "without waiting for its mbarrier (byte 128,", "tile[t % 64]", "load(tile + 32"}}});
}

TEST(CheckCopiesTest, StagesAreReleasedBeforeTheyAreLoadedAgain) {
  expect_found(
      {.body = R"(
  __shared__ alignas(16) float tile[32];
  __shared__ unsigned long long full, empty;
  if (t == 0) init(&full, 1), init(&empty, 32);
  __syncthreads();
  if (t == 32) {
    for (int i = 0; i < 3; ++i) {
      wait(&empty, i % 2 ^ 1);
      expect(&full, 128);
      load(tile, x + 32 * i, 128, &full);
    }
  } else if (t < 32) {
    for (int i = 0; i < 3; ++i) {
      wait(&full, i % 2);
      y[32 * i + t] = tile[31 - t];
      arrive(&empty);
    }
  })",
       .bugs = {{"y[32 * i + t] = tile[31 - t];\n      arrive(&empty);",
                 "arrive(&empty);\n      y[32 * i + t] = tile[31 - t];",
                 "lets an asynchronous copy write 128 bytes of shared variable \"tile\" that another thread read "
                 "with no barrier between",
                 "load(tile", "tile[31 - t]"}}});
}

// One lane waits, and the others learn of it.
TEST(CheckCopiesTest, SyncwarpPassesOnWhatALaneKnows) {
  expect_found({.body = R"(
  __shared__ alignas(16) float tile[32];
  __shared__ unsigned long long full;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 128);
    load(tile, x, 128, &full);
    wait(&full, 0);
  }
  __syncwarp();
  y[t] = tile[31 - t];)",
                .bugs = {{"__syncwarp();", "", "without waiting for its mbarrier", "tile[31 - t]", "load(tile"}},
                .block = 32});
}

TEST(CheckCopiesTest, MbarriersAreNotOverwritten) {
  expect_found(
      {.body = R"(
  __shared__ unsigned long long b;
  if (t == 0) {
    init(&b, 2);
    arrive(&b);
    arrive(&b);
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(shared_address(&b)) : "memory");
    b = 1;
    init(&b, 1);
  })",
       .bugs = {
           {"asm volatile(\"mbarrier.inval.shared.b64 [%0];\" :: \"r\"(shared_address(&b)) : \"memory\");", "",
            "writes 8 bytes of shared variable \"b\" where an mbarrier is in use (byte ", "b = 1;", "init(&b, 2);"},
           {"arrive(&b);\n    arrive(&b);\n    asm", "arrive(&b);\n    init(&b, 3);\n    asm",
            "initialises an mbarrier that is in use (byte ", "init(&b, 3)", "init(&b, 2);"}}});
}

TEST(CheckCopiesTest, SmallCopiesAreReadAfterTheirGroup) {
  expect_found(
      {.body = R"(
  __shared__ float tile[2][128];
  copy(&tile[0][t], x + t);
  commit_copies();
  copy(&tile[1][t], x + 128 + t);
  commit_copies();
  wait_copies<1>();
  y[t] = tile[0][t];
  wait_copies<0>();
  __syncthreads();
  y[128 + t] = tile[1][127 - t];)",
       .bugs = {{"wait_copies<1>();", "wait_copies<2>();",
                 "reads 4 bytes of shared variable \"tile\" that cp.async writes, without waiting for its group "
                 "(byte 0, cp.async of thread number 0 of the block at",
                 "tile[0][t];", "copy(&tile[0][t]"},
                {"wait_copies<0>();", "", "that cp.async writes, without waiting for its group", "tile[1][127 - t]",
                 "copy(&tile[1][t]"},
                {"__syncthreads();", "", "that cp.async writes, without waiting for its group", "tile[1][127 - t]"},
                {"commit_copies();\n  wait", "wait", "that cp.async writes, without waiting for its group",
                 "tile[1][127 - t]"}}});
}

TEST(CheckCopiesTest, SmallCopiesArriveAtMbarriers) {
  expect_found({.body = R"(
  __shared__ float tile[128];
  __shared__ unsigned long long full;
  if (t == 0) init(&full, 128);
  __syncthreads();
  copy(&tile[t], x + t);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(shared_address(&full)) : "memory");
  wait(&full, 0);
  y[t] = tile[127 - t];)",
                .bugs = {{"asm volatile(\"cp.async.mbarrier.arrive.noinc.shared.b64 [%0];\" :: "
                          "\"r\"(shared_address(&full)) : \"memory\");",
                          "arrive(&full);", "that cp.async writes, without waiting for its group", "tile[127 - t]",
                          "copy(&tile[t]"}}});
}

TEST(CheckCopiesTest, NamedBarriersOrderThoseThatArriveBefore) {
  expect_found({.body = R"(
  __shared__ float tile[32];
  if (t < 32) {
    tile[t] = x[t];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else if (t < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    y[t] = tile[63 - t];
  })",
                .bugs = {{"tile[t] = x[t];\n    asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");",
                          "asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");\n    tile[t] = x[t];",
                          "reads 4 bytes of shared variable \"tile\" that another thread wrote with no barrier between",
                          "tile[63 - t]", "tile[t] = x[t]"}}});
}

TEST(CheckCopiesTest, StoresReadFencedAndOrderedMemory) {
  expect_found(
      {.body = R"(
  __shared__ alignas(16) float tile[128];
  tile[t] = x[t];
  fence();
  __syncthreads();
  if (t == 0) {
    store(y, tile, 512);
    commit_stores();
    wait_stores<0>();
  }
  __syncthreads();
  tile[t] = 1;)",
       .bugs = {
           {"fence();", "",
            "lets a bulk copy read 512 bytes of shared variable \"tile\" that a thread wrote with no "
            "fence.proxy.async between (byte 0, thread number 0 of the block at",
            "store(y", "tile[t] = x[t]"},
           {"tile[t] = x[t];\n  fence();", "fence();\n  tile[t] = x[t];", "with no fence.proxy.async between",
            "store(y", "tile[t] = x[t]"},
           {"__syncthreads();\n  if", "if",
            "writes 4 bytes of shared variable \"tile\" that a bulk copy may still read", "tile[t] = x[t]", "store(y"},
           {"wait_stores<0>();", "",
            "writes 4 bytes of shared variable \"tile\" that a bulk copy may still read (byte 0, a bulk copy "
            "of thread number 0 of the block at",
            "tile[t] = 1", "store(y"},
           {"wait_stores<0>();", "wait_stores<1>();", "that a bulk copy may still read", "tile[t] = 1"},
           {"commit_stores();", "", "that a bulk copy may still read", "tile[t] = 1"},
           {"wait_stores<0>();\n  }\n  __syncthreads();", "}\n  __syncthreads();\n  if (t == 0) wait_stores<0>();",
            "that a bulk copy may still read", "tile[t] = 1"}}});
}

// The thread that stores may fence for all, behind the barrier.
TEST(CheckCopiesTest, FencesCoverWhatTheirThreadKnows) {
  expect_found({.body = R"(
  __shared__ alignas(16) float tile[128];
  tile[t] = x[t];
  __syncthreads();
  if (t == 0) {
    fence();
    store(y, tile, 512);
    commit_stores();
    wait_stores<0>();
  })",
                .bugs = {{"__syncthreads();\n  if (t == 0) {\n    fence();",
                          "if (t == 0) fence();\n  __syncthreads();\n  if (t == 0) {",
                          "with no fence.proxy.async between", "store(y", "tile[t] = x[t]"}}});
}

TEST(CheckCopiesTest, BlocksThatEndBeforeTheirStoresAreNoted) {
  const std::string body = R"(
  __shared__ alignas(16) float tile[32];
  tile[t] = x[t];
  fence();
  __syncwarp();
  if (t == 0) {
    store(y, tile, 128);
    commit_stores();
    END
  })";
  for (const bool waits : {false, true}) {
    Workbench& bench = common_bench();
    bench.host.log.clear();
    std::string changed = body;
    changed.replace(body.find("END"), 3, waits ? "wait_stores<0>();" : "");
    const std::string source = source_of(changed);
    EXPECT_THAT(findings_in({.block = 32}, source, bench, "0"), IsEmpty());
    const auto is_noted = AllOf(HasSubstr("ends while a bulk copy may still read its shared memory"),
                                HasSubstr("at " + place_of(source, "store(y")));
    EXPECT_EQ(testing::Value(bench.host.log, is_noted), !waits) << bench.host.log;
  }
}

}  // namespace
}  // namespace kmux::cpu::seeded_bugs
