// Option check=on: shared memory and mbarriers of other blocks of a cluster. Each kernel is right, and wrong with a change.
#include "seeded_bugs.h"

namespace kmux::cpu::seeded_bugs {
namespace {

TEST(CheckClustersTest, BlocksReadPeersBetweenBarriers) {
  expect_found(
      {.body = R"(
  __shared__ float own[32];
  own[t] = x[t] + rank();
  sync_cluster();
  y[32 * rank() + t] = *peer(own + (31 - t), rank() ^ 1);
  sync_cluster();)",
       .bugs = {{"sync_cluster();\n  y", "__syncthreads();\n  y",
                 "reads 4 bytes of shared variable \"own\" of block 0 of the cluster that another thread wrote "
                 "with no barrier between (byte ",
                 "*peer(own", "own[t] = x[t]"},
                {"sync_cluster();\n  y", "__syncthreads();\n  y",
                 "writes 4 bytes of shared variable \"own\" that another thread read with no barrier between",
                 "own[t] = x[t]", "*peer(own"},
                {"rank() ^ 1);\n  sync_cluster();", "rank() ^ 1);",
                 "uses shared memory of a block of its cluster that has ended (block 1 of the cluster", "*peer(own"}},
       .block = 32,
       .blocks = 2});
}

TEST(CheckClustersTest, AccessesToPeersStayWithinVariables) {
  expect_found(
      {.body = R"(
  __shared__ float own[32];
  own[t] = x[t];
  sync_cluster();
  y[32 * rank() + t] = *peer(own + t, rank() ^ 1);
  sync_cluster();)",
       .bugs = {{"own + t,", "own + t + 1,",
                 "reads 4 bytes at byte 128 of shared variable \"own\" of block 0 of the cluster (it has 128 bytes",
                 "*peer(own"}},
       .block = 32,
       .blocks = 2});
}

// Block 1 copies to block 0, which initialises its mbarrier earlier or later.
TEST(CheckClustersTest, MulticastNeedsTheMbarriersOfAllBlocks) {
  expect_found(
      {.body = R"(
  __shared__ alignas(128) float tile[32];
  __shared__ unsigned long long full;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 128);
  }
  sync_cluster();
  if (rank() == 1 && t == 0) multicast(tile, x, 128, &full, 3);
  wait(&full, 0);
  y[32 * rank() + t] = tile[31 - t];)",
       .bugs = {{"sync_cluster();", "__syncthreads();", "uses an mbarrier before its initialisation is visible (byte ",
                 "multicast(tile", "init(&full, 1);"},
                {"sync_cluster();\n  if (rank() == 1", "__syncthreads();\n  if (rank() == 0",
                 "of shared memory of block 1 of the cluster is not initialised", "multicast(tile"},
                {"wait(&full, 0);", "if (rank() == 1) wait(&full, 0); else __syncthreads();",
                 "reads 4 bytes of shared variable \"tile\" that an asynchronous copy writes, without waiting for its "
                 "mbarrier (byte 124,",
                 "tile[31 - t]", "multicast(tile"}},
       .block = 32,
       .blocks = 2});
}

TEST(CheckClustersTest, RemoteArrivalsOrderAccesses) {
  expect_found(
      {.body = R"(
  __shared__ float own[32];
  __shared__ unsigned long long full;
  if (t == 0) init(&full, 32);
  sync_cluster();
  if (rank() == 1) {
    *peer(own + t, 0) = x[t];
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(shared_address(peer(&full, 0))) : "memory");
  } else {
    wait(&full, 0);
    y[t] = own[31 - t];
  })",
       .bugs =
           {{"*peer(own + t, 0) = x[t];", "if (x[t] < 0) y[t] = 0;",
             "reads 4 bytes of shared variable \"own\" that no thread wrote", "own[31 - t]"},
            {"wait(&full, 0);", "",
             "reads 4 bytes of shared variable \"own\" that another thread wrote with no barrier between (byte 124, "
             "thread number 31 of block 1 of the cluster at",
             "own[31 - t]", "*peer(own"},
            {"wait(&full, 0);\n    y[t] = own[31 - t];", "y[t] = x[t];",
             "uses shared memory of a block of its cluster that may have ended (nothing in block 0 of the "
             "cluster waits for it",
             "mbarrier.arrive.release"},
            {"sync_cluster();", "__syncthreads();", "uses an mbarrier before its initialisation is visible",
             "mbarrier.arrive.release"}},
       .block = 32,
       .blocks = 2});
}

TEST(CheckClustersTest, AsynchronousStoresAreReadAfterTheirPhase) {
  expect_found(
      {.body = R"(
  __shared__ int own[32];
  __shared__ unsigned long long full;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 128);
  }
  sync_cluster();
  if (rank() == 0) {
    store_async(peer(own + t, 1), t, peer(&full, 1));
  } else {
    wait(&full, 0);
    y[t] = own[31 - t];
  })",
       .bugs = {{"wait(&full, 0);", "",
                 "lets an asynchronous copy write 4 bytes of shared variable \"own\" of block 1 of the cluster that "
                 "another thread read with no barrier between",
                 "store_async(peer", "own[31 - t]"},
                {"wait(&full, 0);\n    y[t] = own[31 - t];", "y[t] = x[t];",
                 "uses shared memory of a block of its cluster that has ended", "store_async(peer"}},
       .block = 32,
       .blocks = 2});
}

}  // namespace
}  // namespace kmux::cpu::seeded_bugs
