// Clusters of blocks, and the addresses of shared memory. An address there is the generic one, or its lower 32 bits.
#pragma once

KMUX_DEVICE size_t __cvta_generic_to_shared(const void* p) { return reinterpret_cast<size_t>(p) & 0xffffffff; }
KMUX_DEVICE size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
KMUX_DEVICE void* __cvta_shared_to_generic(size_t address) {
  void* p;
  asm("cvta.shared.u64 %0, %1;" : "=r"(p) : "r"(address));
  return p;
}
KMUX_DEVICE unsigned __isShared(const void* p) {
  unsigned is_shared;
  asm volatile("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_shared) : "r"(p));
  return is_shared;
}

#define KMUX_CLUSTER_INDEX(name, index)           \
  KMUX_DEVICE dim3 name() {                       \
    unsigned x, y, z;                             \
    asm("mov.u32 %0, %%" #index ".x;" : "=r"(x)); \
    asm("mov.u32 %0, %%" #index ".y;" : "=r"(y)); \
    asm("mov.u32 %0, %%" #index ".z;" : "=r"(z)); \
    return {x, y, z};                             \
  }
KMUX_CLUSTER_INDEX(__clusterDim, cluster_nctaid)
KMUX_CLUSTER_INDEX(__clusterIdx, clusterid)
KMUX_CLUSTER_INDEX(__clusterRelativeBlockIdx, cluster_ctaid)
KMUX_CLUSTER_INDEX(__clusterGridDimInClusters, nclusterid)
#undef KMUX_CLUSTER_INDEX

KMUX_DEVICE unsigned __clusterRelativeBlockRank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
KMUX_DEVICE unsigned __clusterSizeInBlocks() {
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}
KMUX_DEVICE void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
KMUX_DEVICE void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
KMUX_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
KMUX_DEVICE void* __cluster_map_shared_rank(const void* p, unsigned rank) {
  void* mapped;
  asm volatile("mapa.u64 %0, %1, %2;" : "=r"(mapped) : "r"(p), "r"(rank));
  return mapped;
}
KMUX_DEVICE unsigned __cluster_query_shared_rank(const void* p) {
  unsigned rank;
  asm volatile("getctarank.u64 %0, %1;" : "=r"(rank) : "r"(p));
  return rank;
}
