// cuda::ptx: statements of PTX as functions. Orders and scopes are one here: the runtime executes one unit at a time.
#pragma once
#include <type_traits>

#include <kmux/clusters.h>
#include <kmux/mbarriers.h>

namespace cuda {
namespace ptx {

#define KMUX_TAG(name) \
  struct name##_t {};  \
  static constexpr name##_t name{};
KMUX_TAG(sem_acq_rel)
KMUX_TAG(sem_acquire)
KMUX_TAG(sem_relaxed)
KMUX_TAG(sem_release)
KMUX_TAG(sem_sc)
KMUX_TAG(scope_cluster)
KMUX_TAG(scope_cta)
KMUX_TAG(scope_gpu)
KMUX_TAG(scope_sys)
KMUX_TAG(space_cluster)
KMUX_TAG(space_global)
KMUX_TAG(space_shared)
#undef KMUX_TAG
template <int n>
using n32_t = ::std::integral_constant<int, n>;

KMUX_DEVICE void mbarrier_init(uint64_t* b, uint32_t count) { __mbarrier_init(b, count); }
KMUX_DEVICE void mbarrier_inval(uint64_t* b) { __mbarrier_inval(b); }

KMUX_DEVICE uint64_t mbarrier_arrive(uint64_t* b, uint32_t count = 1) { return kmux_mbarrier_arrive(b, count); }
KMUX_DEVICE uint64_t mbarrier_arrive_no_complete(uint64_t* b, uint32_t count) { return mbarrier_arrive(b, count); }
template <class Scope>
KMUX_DEVICE uint64_t mbarrier_arrive(sem_release_t, Scope, space_shared_t, uint64_t* b, uint32_t count = 1) {
  return mbarrier_arrive(b, count);
}
KMUX_DEVICE void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t* b, uint32_t count = 1) {
  mbarrier_arrive(b, count);
}
template <class Order, class Scope, class Space>
KMUX_DEVICE void mbarrier_expect_tx(Order, Scope, Space, uint64_t* b, uint32_t bytes) {
  kmux_mbarrier_expect(b, bytes);
}
template <class Scope>
KMUX_DEVICE uint64_t mbarrier_arrive_expect_tx(sem_release_t, Scope, space_shared_t, uint64_t* b, uint32_t bytes) {
  kmux_mbarrier_expect(b, bytes);
  return mbarrier_arrive(b);
}
KMUX_DEVICE void mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t* b,
                                           uint32_t bytes) {
  kmux_mbarrier_expect(b, bytes);
  mbarrier_arrive(b);
}

// A limit of time, the last parameter, means nothing: a wait ends, or nothing else can run.
#define KMUX_WAIT(name, function, type)                                         \
  KMUX_DEVICE bool name(uint64_t* b, type until) { return function(b, until); } \
  template <class Order, class Scope>                                           \
  KMUX_DEVICE bool name(Order, Scope, uint64_t* b, type until) {                \
    return function(b, until);                                                  \
  }
#define KMUX_TRIED_WAIT(name, function, type)                                             \
  KMUX_WAIT(name, function, type)                                                         \
  KMUX_DEVICE bool name(uint64_t* b, type until, uint32_t) { return function(b, until); } \
  template <class Order, class Scope>                                                     \
  KMUX_DEVICE bool name(Order, Scope, uint64_t* b, type until, uint32_t) {                \
    return function(b, until);                                                            \
  }
KMUX_WAIT(mbarrier_test_wait, __mbarrier_test_wait, uint64_t)
KMUX_WAIT(mbarrier_test_wait_parity, kmux_mbarrier_test_parity, uint32_t)
KMUX_TRIED_WAIT(mbarrier_try_wait, kmux_mbarrier_try_wait, uint64_t)
KMUX_TRIED_WAIT(mbarrier_try_wait_parity, kmux_mbarrier_try_parity, uint32_t)
#undef KMUX_TRIED_WAIT
#undef KMUX_WAIT

KMUX_DEVICE void barrier_cluster_arrive() { __cluster_barrier_arrive(); }
KMUX_DEVICE void barrier_cluster_arrive(sem_release_t) { __cluster_barrier_arrive(); }
KMUX_DEVICE void barrier_cluster_arrive(sem_relaxed_t) { __cluster_barrier_arrive_relaxed(); }
KMUX_DEVICE void barrier_cluster_wait() { __cluster_barrier_wait(); }
KMUX_DEVICE void barrier_cluster_wait(sem_acquire_t) { __cluster_barrier_wait(); }
template <class T>
KMUX_DEVICE T* mapa(space_cluster_t, const T* p, uint32_t rank) {
  return static_cast<T*>(__cluster_map_shared_rank(p, rank));
}
KMUX_DEVICE uint32_t getctarank(space_cluster_t, const void* p) { return __cluster_query_shared_rank(p); }
KMUX_DEVICE bool elect_sync(uint32_t lanes) {
  unsigned is_elected;
  asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_elected) : "r"(lanes));
  return is_elected != 0;
}

#define KMUX_FENCE(name, parameters, text) \
  KMUX_DEVICE void name parameters { asm volatile(text ";" ::: "memory"); }
KMUX_FENCE(fence_proxy_async, (), "fence.proxy.async")
KMUX_FENCE(fence_proxy_async, (space_global_t), "fence.proxy.async.global")
KMUX_FENCE(fence_proxy_async, (space_cluster_t), "fence.proxy.async.shared::cluster")
KMUX_FENCE(fence_proxy_async, (space_shared_t), "fence.proxy.async.shared::cta")
KMUX_FENCE(fence_mbarrier_init, (sem_release_t, scope_cluster_t), "fence.mbarrier_init.release.cluster")
#undef KMUX_FENCE
template <class Order, class Scope>
KMUX_DEVICE void fence(Order, Scope) {
  asm volatile("fence.sc.sys;" ::: "memory");
}

#define KMUX_REGISTERS(name, text)                \
  KMUX_DEVICE uint32_t get_sreg_##name() {        \
    uint32_t value;                               \
    asm("mov.u32 %0, %%" text ";" : "=r"(value)); \
    return value;                                 \
  }
#define KMUX_AXES(name)                \
  KMUX_REGISTERS(name##_x, #name ".x") \
  KMUX_REGISTERS(name##_y, #name ".y") \
  KMUX_REGISTERS(name##_z, #name ".z")
KMUX_AXES(tid)
KMUX_AXES(ntid)
KMUX_AXES(ctaid)
KMUX_AXES(nctaid)
KMUX_AXES(clusterid)
KMUX_AXES(nclusterid)
KMUX_AXES(cluster_ctaid)
KMUX_AXES(cluster_nctaid)
KMUX_REGISTERS(cluster_ctarank, "cluster_ctarank")
KMUX_REGISTERS(cluster_nctarank, "cluster_nctarank")
KMUX_REGISTERS(laneid, "laneid")
#undef KMUX_AXES
#undef KMUX_REGISTERS

}  // namespace ptx
}  // namespace cuda
