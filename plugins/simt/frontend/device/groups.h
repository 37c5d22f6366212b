// cooperative_groups: the threads of a grid, of a block, and of a part of a warp.
#pragma once

#if KMUX_WAVEFRONT != 32
#error not for this processor (groups of threads where a warp has 64)
#endif

#include <kmux/clusters.h>
#include <kmux/failures.h>
#include <kmux/warps.h>

namespace cooperative_groups {

KMUX_DEVICE unsigned kmux_rank() {
  return kmux_thread_x() + kmux_block_dim_x() * (kmux_thread_y() + kmux_block_dim_y() * kmux_thread_z());
}
KMUX_DEVICE unsigned kmux_threads() { return kmux_block_dim_x() * kmux_block_dim_y() * kmux_block_dim_z(); }

// Common to all groups: the older names, and free functions for members.
struct thread_block {
  struct arrival_token {};
  KMUX_DEVICE void sync() { kmux_barrier(); }
  // barrier_wait is a full barrier, so each thread in it has already arrived.
  KMUX_DEVICE arrival_token barrier_arrive() { return {}; }
  KMUX_DEVICE void barrier_wait(arrival_token&&) { kmux_barrier(); }
  KMUX_DEVICE unsigned thread_rank() { return kmux_rank(); }
  KMUX_DEVICE unsigned size() { return kmux_threads(); }
  KMUX_DEVICE unsigned num_threads() { return kmux_threads(); }
  KMUX_DEVICE dim3 group_index() { return {kmux_block_x(), kmux_block_y(), kmux_block_z()}; }
  KMUX_DEVICE dim3 thread_index() { return {kmux_thread_x(), kmux_thread_y(), kmux_thread_z()}; }
  KMUX_DEVICE dim3 dim_threads() { return {kmux_block_dim_x(), kmux_block_dim_y(), kmux_block_dim_z()}; }
  KMUX_DEVICE dim3 group_dim() { return dim_threads(); }
};
KMUX_DEVICE thread_block this_thread_block() { return {}; }
// Shared memory for tiles of several warps, which are refused.
template <unsigned max_threads = 1024>
struct block_tile_memory {};
template <unsigned max_threads>
KMUX_DEVICE thread_block this_thread_block(block_tile_memory<max_threads>&) {
  return {};
}

struct grid_group {
  KMUX_DEVICE bool is_valid() { return kmux_cooperative() != 0; }
  KMUX_DEVICE void sync(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    if (!is_valid()) kmux_fail("grid.sync() in a launch that is not cooperative\nLaunch it cooperatively", file, line);
    kmux_grid_barrier();
  }
  struct arrival_token {};
  KMUX_DEVICE arrival_token barrier_arrive() { return {}; }
  KMUX_DEVICE void barrier_wait(arrival_token&&, const char* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) {
    sync(file, line);
  }
  KMUX_DEVICE dim3 group_dim() { return {kmux_grid_dim_x(), kmux_grid_dim_y(), kmux_grid_dim_z()}; }
  KMUX_DEVICE dim3 dim_blocks() { return group_dim(); }
  KMUX_DEVICE dim3 block_index() { return {kmux_block_x(), kmux_block_y(), kmux_block_z()}; }
  KMUX_DEVICE unsigned long long num_blocks() {
    return 1ull * kmux_grid_dim_x() * kmux_grid_dim_y() * kmux_grid_dim_z();
  }
  KMUX_DEVICE unsigned long long block_rank() {
    return kmux_block_x() + 1ull * kmux_grid_dim_x() * (kmux_block_y() + 1ull * kmux_grid_dim_y() * kmux_block_z());
  }
  KMUX_DEVICE unsigned long long num_threads() { return num_blocks() * kmux_threads(); }
  KMUX_DEVICE unsigned long long size() { return num_threads(); }
  KMUX_DEVICE unsigned long long thread_rank() { return block_rank() * kmux_threads() + kmux_rank(); }
};
KMUX_DEVICE grid_group this_grid() { return {}; }

struct cluster_group {
  struct arrival_token {};
  KMUX_DEVICE void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  KMUX_DEVICE arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return {};
  }
  KMUX_DEVICE void barrier_wait(arrival_token&& = {}) { __cluster_barrier_wait(); }
  KMUX_DEVICE unsigned query_shared_rank(const void* p) { return __cluster_query_shared_rank(p); }
  template <class T>
  KMUX_DEVICE T* map_shared_rank(T* p, int rank) {
    return static_cast<T*>(__cluster_map_shared_rank(p, rank));
  }
  KMUX_DEVICE dim3 block_index() { return __clusterRelativeBlockIdx(); }
  KMUX_DEVICE unsigned block_rank() { return __clusterRelativeBlockRank(); }
  KMUX_DEVICE dim3 dim_blocks() { return __clusterDim(); }
  KMUX_DEVICE unsigned num_blocks() { return __clusterSizeInBlocks(); }
  KMUX_DEVICE dim3 dim_threads() {
    const dim3 blocks = __clusterDim();
    return {blocks.x * kmux_block_dim_x(), blocks.y * kmux_block_dim_y(), blocks.z * kmux_block_dim_z()};
  }
  KMUX_DEVICE dim3 thread_index() {
    const dim3 block = __clusterRelativeBlockIdx();
    return {block.x * kmux_block_dim_x() + kmux_thread_x(), block.y * kmux_block_dim_y() + kmux_thread_y(),
            block.z * kmux_block_dim_z() + kmux_thread_z()};
  }
  KMUX_DEVICE unsigned thread_rank() { return __clusterRelativeBlockRank() * kmux_threads() + kmux_rank(); }
  KMUX_DEVICE unsigned num_threads() { return __clusterSizeInBlocks() * kmux_threads(); }
  KMUX_DEVICE unsigned size() { return num_threads(); }
};
KMUX_DEVICE cluster_group this_cluster() { return {}; }

#define KMUX_GRIDS KMUX_REFUSED("grids on several devices")
struct multi_grid_group {
  KMUX_GRIDS static bool is_valid();
  KMUX_GRIDS static void sync();
  KMUX_GRIDS static unsigned grid_rank();
  KMUX_GRIDS static unsigned num_grids();
  KMUX_GRIDS static unsigned long long num_threads();
  KMUX_GRIDS static unsigned long long size();
  KMUX_GRIDS static unsigned long long thread_rank();
};
KMUX_GRIDS multi_grid_group this_multi_grid();
#undef KMUX_GRIDS

// Threads of a warp, by a mask of lanes. Ranks count the set lanes.
struct coalesced_group {
  unsigned mask;
  unsigned kmux_number = 0, kmux_parts = 1;  // the index of this part in its parent group, and the number of parts
  KMUX_DEVICE unsigned kmux_below() { return (1u << kmux_lane()) - 1; }
  // Returns the lane of rank `rank`.
  __attribute__((always_inline)) int kmux_lane_of(unsigned rank) const {
    unsigned lane = 0;
#pragma clang loop unroll(full)
    for (unsigned step = 16; step > 0; step /= 2) {
      const unsigned below = static_cast<unsigned>(__builtin_popcount(mask & ((1u << (lane + step)) - 1)));
      lane += below <= rank ? step : 0;
    }
    return static_cast<int>(lane);
  }
  // Converts bits indexed by lane to bits indexed by rank.
  __attribute__((always_inline)) unsigned kmux_by_rank(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned left = kmux_ballot(1); left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(left)), is_mine = (mask >> lane) & 1;
      ranks |= (((lanes >> lane) & 1) & is_mine) << rank;
      rank += rank < 31 ? is_mine : 0;
    }
    return ranks;
  }
  __attribute__((always_inline)) void sync() const { __syncwarp(mask); }
  __attribute__((always_inline)) unsigned size() const { return static_cast<unsigned>(__builtin_popcount(mask)); }
  __attribute__((always_inline)) unsigned num_threads() const { return size(); }
  __attribute__((always_inline)) unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcount(mask & kmux_below()));
  }
  __attribute__((always_inline)) unsigned meta_group_rank() const { return kmux_number; }
  __attribute__((always_inline)) unsigned meta_group_size() const { return kmux_parts; }
  template <class T>
  __attribute__((always_inline)) T shfl(T value, int rank) const {
    return kmux_from_lane(value, kmux_lane_of(static_cast<unsigned>(rank) % size()));
  }
  template <class T>
  __attribute__((always_inline)) T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return kmux_from_lane(value, kmux_lane_of(rank < delta ? rank : rank - delta));
  }
  template <class T>
  __attribute__((always_inline)) T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return kmux_from_lane(value, kmux_lane_of(rank + delta >= size() ? rank : rank + delta));
  }
  __attribute__((always_inline)) int any(int predicate) const { return __any_sync(mask, predicate); }
  __attribute__((always_inline)) int all(int predicate) const { return __all_sync(mask, predicate); }
  __attribute__((always_inline)) unsigned ballot(int predicate) const {
    return kmux_by_rank(__ballot_sync(mask, predicate));
  }
  template <class T>
  __attribute__((always_inline)) unsigned match_any(T value) const {
    return kmux_by_rank(__match_any_sync(mask, value));
  }
  template <class T>
  __attribute__((always_inline)) unsigned match_all(T value, int& predicate) const {
    return kmux_by_rank(__match_all_sync(mask, value, &predicate));
  }
};
KMUX_DEVICE coalesced_group coalesced_threads() { return {kmux_ballot(1)}; }

// A part of a warp of `n` consecutive threads.
template <unsigned n, class Parent = void>
struct thread_block_tile {
  static_assert(n <= 32 && (n & (n - 1)) == 0);
  unsigned kmux_number, kmux_parts;  // the index of this part in its parent group, and the number of parts
  __attribute__((always_inline)) thread_block_tile(unsigned rank, unsigned threads)
      : kmux_number(rank / n), kmux_parts((threads + n - 1) / n) {}
  template <class Other>  // any parent
  __attribute__((always_inline)) thread_block_tile(const thread_block_tile<n, Other>& other)
      : kmux_number(other.kmux_number), kmux_parts(other.kmux_parts) {}
  KMUX_DEVICE unsigned kmux_first() { return kmux_lane() & ~(n - 1); }
  KMUX_DEVICE unsigned kmux_mask() { return (~0u >> (32 - n)) << kmux_first(); }
  KMUX_DEVICE void sync() { __syncwarp(); }
  KMUX_DEVICE unsigned thread_rank() { return kmux_lane() & (n - 1); }
  static constexpr unsigned size() { return n; }
  static constexpr unsigned num_threads() { return n; }
  __attribute__((always_inline)) unsigned meta_group_rank() const { return kmux_number; }
  __attribute__((always_inline)) unsigned meta_group_size() const { return kmux_parts; }
  template <class T>
  KMUX_DEVICE T shfl(T value, int rank) {
    return __shfl_sync(~0u, value, rank, static_cast<int>(n));
  }
  template <class T>
  KMUX_DEVICE T shfl_up(T value, unsigned delta) {
    return __shfl_up_sync(~0u, value, delta, static_cast<int>(n));
  }
  template <class T>
  KMUX_DEVICE T shfl_down(T value, unsigned delta) {
    return __shfl_down_sync(~0u, value, delta, static_cast<int>(n));
  }
  template <class T>
  KMUX_DEVICE T shfl_xor(T value, unsigned mask) {
    return __shfl_xor_sync(~0u, value, static_cast<int>(mask), static_cast<int>(n));
  }
  KMUX_DEVICE int any(int predicate) { return __any_sync(kmux_mask(), predicate); }
  KMUX_DEVICE int all(int predicate) { return __all_sync(kmux_mask(), predicate); }
  KMUX_DEVICE unsigned ballot(int predicate) { return __ballot_sync(kmux_mask(), predicate) >> kmux_first(); }
  template <class T>
  KMUX_DEVICE unsigned match_any(T value) {
    return __match_any_sync(kmux_mask(), value) >> kmux_first();
  }
  template <class T>
  KMUX_DEVICE unsigned match_all(T value, int& predicate) {
    return __match_all_sync(kmux_mask(), value, &predicate) >> kmux_first();
  }
};
// A tile is a part of the block or of a larger tile; its lanes in the warp are the same.
template <unsigned n, class Parent>
  requires(n <= 32)
KMUX_DEVICE thread_block_tile<n, Parent> tiled_partition(const Parent& parent) {
  return {static_cast<unsigned>(parent.thread_rank()), static_cast<unsigned>(parent.size())};
}
template <unsigned n, class Parent>
  requires(n > 32)
KMUX_REFUSED("parts of a block that are larger than a warp")
coalesced_group tiled_partition(const Parent&);

// A group of either kind: all threads of the block, or some of a warp.
struct thread_group {
  bool kmux_is_block;
  coalesced_group kmux_some;
  __attribute__((always_inline)) thread_group(const thread_block&) : kmux_is_block(true), kmux_some{~0u} {}
  __attribute__((always_inline)) thread_group(const coalesced_group& group) : kmux_is_block(false), kmux_some(group) {}
  template <unsigned n, class Parent>
  __attribute__((always_inline)) thread_group(const thread_block_tile<n, Parent>& tile)
      : kmux_is_block(false), kmux_some{tile.kmux_mask()} {}
  __attribute__((always_inline)) void sync() const { kmux_is_block ? kmux_barrier() : kmux_some.sync(); }
  __attribute__((always_inline)) unsigned size() const { return kmux_is_block ? kmux_threads() : kmux_some.size(); }
  __attribute__((always_inline)) unsigned num_threads() const { return size(); }
  __attribute__((always_inline)) unsigned thread_rank() const {
    return kmux_is_block ? kmux_rank() : kmux_some.thread_rank();
  }
};
// Returns the lanes of the part that contains the thread of rank `rank`. Each part has `n` threads except the last one.
KMUX_DEVICE unsigned kmux_part(unsigned rank, unsigned threads, unsigned n, const char* file, unsigned line) {
  if (n > 32 || __builtin_popcount(n) != 1)
    kmux_fail("a part of a group has no such size\nGive tiled_partition a power of two of at most 32", file, line);
  const unsigned left = threads - (rank & ~(n - 1));
  return ~0u >> (32 - (left < n ? left : n));
}
KMUX_DEVICE thread_group tiled_partition(const thread_block&, unsigned n, const char* file = __builtin_FILE(),
                                         unsigned line = __builtin_LINE()) {
  return coalesced_group{kmux_part(kmux_rank(), kmux_threads(), n, file, line) << (kmux_lane() & ~(n - 1))};
}
KMUX_DEVICE coalesced_group tiled_partition(const coalesced_group& group, unsigned n,
                                            const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  const unsigned rank = group.thread_rank(), first = rank & ~(n - 1);
  unsigned lanes = 0;
  for (unsigned part = kmux_part(rank, group.size(), n, file, line), i = 0; i < 32; ++i)
    lanes |= ((part >> i) & 1) << group.kmux_lane_of(first + i);
  return {lanes, rank / n, (group.size() + n - 1) / n};
}
KMUX_DEVICE thread_group tiled_partition(const thread_group& group, unsigned n, const char* file = __builtin_FILE(),
                                         unsigned line = __builtin_LINE()) {
  if (group.kmux_is_block) return tiled_partition(thread_block(), n, file, line);
  return tiled_partition(group.kmux_some, n, file, line);
}

template <class G>
KMUX_DEVICE coalesced_group binary_partition(const G&, bool predicate) {
  const unsigned all = kmux_ballot(1), has = kmux_ballot(predicate);
  const bool is_parted = has != 0 && has != all;
  return {predicate ? has : all & ~has, is_parted && predicate ? 1u : 0u, is_parted ? 2u : 1u};
}
template <class G, class T>
KMUX_DEVICE coalesced_group labeled_partition(const G&, T label) {
  const unsigned same = __match_any_sync(~0u, label), before = (same & -same) - 1;
  const unsigned first = kmux_ballot(static_cast<unsigned>(kmux_lane()) == static_cast<unsigned>(__builtin_ctz(same)));
  return {same, static_cast<unsigned>(__builtin_popcount(first & before)),
          static_cast<unsigned>(__builtin_popcount(first))};
}

// Calls a function on one thread of a group.
template <class G, class F, class... Args>
KMUX_DEVICE void invoke_one(const G& group, F&& function, Args&&... arguments) {
  if (group.thread_rank() == 0) static_cast<F&&>(function)(static_cast<Args&&>(arguments)...);
}
// As above, and returns the result to all threads of a part of a warp.
template <class G, class F, class... Args>
KMUX_DEVICE auto invoke_one_broadcast(const G& group, F&& function, Args&&... arguments) {
  decltype(static_cast<F&&>(function)(static_cast<Args&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = static_cast<F&&>(function)(static_cast<Args&&>(arguments)...);
  return group.shfl(result, 0);
}

template <class G>
KMUX_DEVICE void sync(const G& group) {
  group.sync();
}
template <class G>
KMUX_DEVICE auto thread_rank(const G& group) {
  return group.thread_rank();
}
template <class G>
KMUX_DEVICE auto group_size(const G& group) {
  return group.size();
}

}  // namespace cooperative_groups
