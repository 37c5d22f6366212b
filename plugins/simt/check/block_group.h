#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "simt/check/cluster_barrier.h"
#include "simt/check/cluster_check.h"
#include "simt/check/fiber.h"
#include "simt/check/group_products.h"
#include "simt/check/memory_check.h"
#include "simt/check/named_barriers.h"
#include "simt/check/shared_windows.h"

namespace kmux::simt {

struct BlockGroup;

/// A block whose threads run on fibers.
struct FiberBlock {
  Index index;
  SharedMemory memory;
  BlockGroup* group = nullptr;
  unsigned rank = 0;  // in its cluster
  unsigned live = 0;  // threads that have not ended
  NamedBarriers barriers = {};
  std::vector<GroupProducts> products = {};  // of each group of four warps
  std::optional<MemoryCheck> check = {};
  std::vector<Thread> threads = {};
};

/// The blocks of a cluster, which run beside each other; a single block if the launch has no clusters.
struct BlockGroup {
  BlockGroup(std::size_t count, std::size_t shared_bytes) : windows(count, shared_bytes) {}

  bool has_ended() const { return barrier.live == 0; }
  /// Returns the block whose shared memory has `address`, or null.
  FiberBlock* block_at(const void* address) {
    const char* const place = static_cast<const char*>(address);
    return windows.has(place) ? &blocks[windows.number_of(place)] : nullptr;
  }

  SharedWindows windows;
  ClusterBarrier barrier;
  std::unique_ptr<ClusterCheck> check;  // null if the kernel is not checked
  std::deque<FiberBlock> blocks;  // in the order of their ranks
};

}  // namespace kmux::simt
