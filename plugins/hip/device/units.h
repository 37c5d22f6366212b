// Units of NVIDIA's GPUs that AMD's devices lack: clusters of blocks, barriers in shared memory that count, and addresses of state spaces.
#pragma once

KMUX_REFUSED("address spaces") size_t __cvta_generic_to_shared(const void*);
KMUX_REFUSED("address spaces") size_t __cvta_generic_to_global(const void*);
KMUX_REFUSED("address spaces") void* __cvta_shared_to_generic(size_t);
KMUX_REFUSED("address spaces") unsigned __isShared(const void*);
KMUX_REFUSED("clusters of blocks") void __cluster_barrier_arrive();
KMUX_REFUSED("clusters of blocks") void __cluster_barrier_arrive_relaxed();
KMUX_REFUSED("clusters of blocks") void __cluster_barrier_wait();
KMUX_REFUSED("clusters of blocks") dim3 __clusterDim();
KMUX_REFUSED("clusters of blocks") dim3 __clusterIdx();
KMUX_REFUSED("clusters of blocks") dim3 __clusterRelativeBlockIdx();
KMUX_REFUSED("clusters of blocks") dim3 __clusterGridDimInClusters();
KMUX_REFUSED("clusters of blocks") unsigned __clusterRelativeBlockRank();
KMUX_REFUSED("clusters of blocks") unsigned __clusterSizeInBlocks();
KMUX_REFUSED("clusters of blocks") void* __cluster_map_shared_rank(const void*, unsigned);
KMUX_REFUSED("clusters of blocks") unsigned __cluster_query_shared_rank(const void*);

// cuda_awbarrier_primitives.h
typedef unsigned long __mbarrier_t;
typedef unsigned long __mbarrier_token_t;
#define KMUX_MBARRIER KMUX_REFUSED("barriers in shared memory")
KMUX_MBARRIER unsigned __mbarrier_maximum_count();
KMUX_MBARRIER void __mbarrier_init(__mbarrier_t*, unsigned);
KMUX_MBARRIER void __mbarrier_inval(__mbarrier_t*);
KMUX_MBARRIER __mbarrier_token_t __mbarrier_arrive(__mbarrier_t*);
KMUX_MBARRIER __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t*);
KMUX_MBARRIER bool __mbarrier_test_wait(__mbarrier_t*, __mbarrier_token_t);
KMUX_MBARRIER bool __mbarrier_test_wait_parity(__mbarrier_t*, bool);
KMUX_MBARRIER bool __mbarrier_try_wait(__mbarrier_t*, __mbarrier_token_t, unsigned);
KMUX_MBARRIER bool __mbarrier_try_wait_parity(__mbarrier_t*, bool, unsigned);
KMUX_MBARRIER unsigned __mbarrier_token_pending_count(__mbarrier_token_t);
KMUX_MBARRIER void __pipeline_arrive_on(__mbarrier_t*);
#undef KMUX_MBARRIER
