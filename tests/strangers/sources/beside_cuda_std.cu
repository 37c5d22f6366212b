//! kmux
//! kernel both(out ok: i32[32])
//!   launch both<<<1, 32>>>(ok)
#include <cstdint>
#include <climits>
#include <limits>
#include <type_traits>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

__global__ void both(int* ok) {
  const std::uint64_t large = cuda::std::numeric_limits<uint32_t>::max();
  ok[threadIdx.x] = large + 1 == std::uint64_t(1) << 32 && cuda::std::is_same<std::int32_t, int32_t>::value &&
                    std::numeric_limits<int>::max() == INT_MAX && std::is_integral<cuda::std::int64_t>::value;
}
