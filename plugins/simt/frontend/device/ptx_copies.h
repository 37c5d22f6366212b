// Asynchronous copies of cuda::ptx.
#pragma once
#include <kmux/ptx.h>

namespace cuda {
namespace ptx {

#define KMUX_PLACE(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))

// From global to shared memory, of this block or by its mask of several.
#define KMUX_BULK_LOAD(space)                                                                                          \
  KMUX_DEVICE void cp_async_bulk(space##_t, space_global_t, void* to, const void* from, uint32_t bytes, uint64_t* b) { \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(      \
                     KMUX_PLACE(to)),                                                                                  \
                 "r"(from), "r"(bytes), "r"(KMUX_PLACE(b))                                                             \
                 : "memory");                                                                                          \
  }
KMUX_BULK_LOAD(space_cluster)
KMUX_BULK_LOAD(space_shared)
#undef KMUX_BULK_LOAD
KMUX_DEVICE void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from, uint32_t bytes, uint64_t* b,
                               uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(KMUX_PLACE(to)),
      "r"(from), "r"(bytes), "r"(KMUX_PLACE(b)), "r"(blocks)
      : "memory");
}
// To another block of the cluster, which has the barrier.
KMUX_DEVICE void cp_async_bulk(space_cluster_t, space_shared_t, void* to, const void* from, uint32_t bytes,
                               uint64_t* b) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   KMUX_PLACE(to)),
               "r"(KMUX_PLACE(from)), "r"(bytes), "r"(KMUX_PLACE(b))
               : "memory");
}
KMUX_DEVICE void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"r"(to), "r"(KMUX_PLACE(from)),
               "r"(bytes)
               : "memory");
}
KMUX_DEVICE void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int groups>
KMUX_DEVICE void cp_async_bulk_wait_group(n32_t<groups>) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory");
}
template <int groups>
KMUX_DEVICE void cp_async_bulk_wait_group_read(n32_t<groups>) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
}

// Boxes of a tensor map at `place`, whose first number is that of the innermost dimension.
#define KMUX_TENSOR_LOAD(rank, space, parameter, ending, ...)                                                 \
  KMUX_DEVICE void cp_async_bulk_tensor(space##_t, space_global_t, void* to, const void* map,                 \
                                        const int32_t(&place)[rank], uint64_t* b parameter) {                 \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes" ending \
                 :                                                                                            \
                 : [to] "r"(KMUX_PLACE(to)), [map] "r"(map), [b] "r"(KMUX_PLACE(b)), __VA_ARGS__              \
                 : "memory");                                                                                 \
  }
#define KMUX_COMMA ,
#define KMUX_TENSOR_COPIES(rank, list, ...)                                                                           \
  KMUX_TENSOR_LOAD(rank, space_cluster, , " [%[to]], [%[map], {" list "}], [%[b]];", __VA_ARGS__)                     \
  KMUX_TENSOR_LOAD(rank, space_shared, , " [%[to]], [%[map], {" list "}], [%[b]];", __VA_ARGS__)                      \
  KMUX_TENSOR_LOAD(rank, space_cluster, KMUX_COMMA uint16_t blocks,                                                   \
                   ".multicast::cluster [%[to]], [%[map], {" list "}], [%[b]], %[blocks];", [blocks] "r"(blocks),     \
                   __VA_ARGS__)                                                                                       \
  KMUX_DEVICE void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map, const int32_t(&place)[rank], \
                                        const void* from) {                                                           \
    asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group [%[map], {" list "}], [%[from]];"     \
                 :                                                                                                    \
                 : [map] "r"(map), [from] "r"(KMUX_PLACE(from)), __VA_ARGS__                                          \
                 : "memory");                                                                                         \
  }
KMUX_TENSOR_COPIES(1, "%[x0]", [x0] "r"(place[0]))
KMUX_TENSOR_COPIES(2, "%[x0], %[x1]", [x0] "r"(place[0]), [x1] "r"(place[1]))
KMUX_TENSOR_COPIES(3, "%[x0], %[x1], %[x2]", [x0] "r"(place[0]), [x1] "r"(place[1]), [x2] "r"(place[2]))
KMUX_TENSOR_COPIES(
    4, "%[x0], %[x1], %[x2], %[x3]", [x0] "r"(place[0]), [x1] "r"(place[1]), [x2] "r"(place[2]), [x3] "r"(place[3]))
KMUX_TENSOR_COPIES(5, "%[x0], %[x1], %[x2], %[x3], %[x4]", [x0] "r"(place[0]), [x1] "r"(place[1]), [x2] "r"(place[2]),
                   [x3] "r"(place[3]), [x4] "r"(place[4]))
#undef KMUX_TENSOR_COPIES
#undef KMUX_COMMA
#undef KMUX_TENSOR_LOAD
#undef KMUX_PLACE

}  // namespace ptx
}  // namespace cuda
