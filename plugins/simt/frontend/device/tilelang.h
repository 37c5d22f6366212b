// The header functions that TileLang's generated CUDA kernels call, except those that need tensor cores.
#pragma once

#include <kmux/atomics.h>
#include <kmux/warps.h>

// The memory order argument is ignored: as for CUDA's atomics, the order is relaxed.
template <class T, class V>
KMUX_DEVICE void AtomicAdd(T* address, V value, int = 0) {
  atomicAdd(address, static_cast<T>(value));
}
template <class T, class V>
KMUX_DEVICE T AtomicAddRet(T* address, V value, int = 0) {
  return atomicAdd(address, static_cast<T>(value));
}
template <class T, class V>
KMUX_DEVICE void AtomicMax(T* address, V value, int = 0) {
  atomicMax(address, static_cast<T>(value));
}
template <class T, class V>
KMUX_DEVICE void AtomicMin(T* address, V value, int = 0) {
  atomicMin(address, static_cast<T>(value));
}

namespace tl {

#define KMUX_OPERATION(name, result)                   \
  struct name {                                        \
    template <class T>                                 \
    KMUX_METHOD T operator()(const T& x, const T& y) { \
      return result;                                   \
    }                                                  \
  };
#define KMUX_METHOD inline __attribute__((always_inline))
KMUX_OPERATION(SumOp, x + y)
KMUX_OPERATION(MaxOp, max(x, y))
KMUX_OPERATION(MinOp, min(x, y))
KMUX_OPERATION(BitAndOp, x& y)
KMUX_OPERATION(BitOrOp, x | y)
KMUX_OPERATION(BitXorOp, x ^ y)
#undef KMUX_OPERATION

// Reduces the values of `threads` neighbouring threads that are `scale` apart; each gets the result. From 64 threads on
// values are exchanged through `buffer`, which has one element per thread.
template <class Operation, int threads, int scale, int first = 0>
struct AllReduce {
  template <class T>
  static KMUX_METHOD T run(T value, T* buffer = nullptr) {
    constexpr int distance = threads / 2;
    if constexpr (distance >= 32) {
      const int self = static_cast<int>(threadIdx.x) - first;
      __syncthreads();
      buffer[self] = value;
      __syncthreads();
      value = Operation()(value, buffer[self ^ distance]);
    } else {
      value = Operation()(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    if constexpr (distance == scale) {
      return value;
    } else {
      return AllReduce<Operation, distance, scale, first>::run(value, buffer);
    }
  }
};
#undef KMUX_METHOD

}  // namespace tl
