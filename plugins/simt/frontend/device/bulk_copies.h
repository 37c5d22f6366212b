// Bulk copies of cuda::device (cuda/barrier). Its experimental part has statements of PTX, as cuda::ptx has them today.
#pragma once
#include <cuda/ptx>

#include <kmux/barriers.h>
#include <kmux/tensor_maps.h>

namespace cuda {
namespace device {

template <size_t alignment>
KMUX_DEVICE void memcpy_async_tx(void* to, const void* from, aligned_size_t<alignment> bytes,
                                 kmux_barrier_of_block& b) {
  static_assert(alignment >= 16, "memcpy_async_tx takes memory that is aligned to 16 bytes");
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, static_cast<unsigned>(bytes), &b.kmux_word);
}

namespace experimental {

KMUX_DEVICE void cp_async_bulk_global_to_shared(void* to, const void* from, unsigned bytes, kmux_barrier_of_block& b) {
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, &b.kmux_word);
}
KMUX_DEVICE void cp_async_bulk_shared_to_global(void* to, const void* from, unsigned bytes) {
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
}
KMUX_DEVICE void cp_async_bulk_commit_group() { ptx::cp_async_bulk_commit_group(); }
template <int groups>
KMUX_DEVICE void cp_async_bulk_wait_group_read() {
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<groups>());
}
KMUX_DEVICE void fence_proxy_async_shared_cta() { ptx::fence_proxy_async(ptx::space_shared); }

#define KMUX_TENSOR_COPIES(rank, parameters, ...)                                                                    \
  KMUX_DEVICE void cp_async_bulk_tensor_##rank##d_global_to_shared(                                                  \
      void* to, const CUtensorMap* map, KMUX_UNPACKED parameters, kmux_barrier_of_block& at) {                       \
    const int place[] = {__VA_ARGS__};                                                                               \
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, place, &at.kmux_word);                 \
  }                                                                                                                  \
  KMUX_DEVICE void cp_async_bulk_tensor_##rank##d_shared_to_global(const CUtensorMap* map, KMUX_UNPACKED parameters, \
                                                                   const void* from) {                               \
    const int place[] = {__VA_ARGS__};                                                                               \
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, place, from);                               \
  }
#define KMUX_UNPACKED(...) __VA_ARGS__
KMUX_TENSOR_COPIES(1, (int a), a)
KMUX_TENSOR_COPIES(2, (int a, int b), a, b)
KMUX_TENSOR_COPIES(3, (int a, int b, int c), a, b, c)
KMUX_TENSOR_COPIES(4, (int a, int b, int c, int d), a, b, c, d)
KMUX_TENSOR_COPIES(5, (int a, int b, int c, int d, int e), a, b, c, d, e)
#undef KMUX_UNPACKED
#undef KMUX_TENSOR_COPIES

}  // namespace experimental
}  // namespace device
}  // namespace cuda
