// What comes before the source of a kernel that is compiled for the host. Not part of the library: its text is embedded.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#define __HIP_ON_CPU__ 1
#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))

typedef _Float16 __half;
typedef _Float16 half;
typedef unsigned char uchar;
typedef unsigned int uint;

struct dim3 {
  unsigned x, y, z;
};

/// Where the running thread is, and what it waits with; set by the library before and between threads.
struct kmux_gpu_state {
  dim3 thread, block, block_dim, grid_dim;
  unsigned index;
};
struct kmux_gpu_calls {
  void (*wait_for_block)();
  void (*wait_for_wavefront)();
};
constexpr int kmux_wavefront = KMUX_WAVEFRONT;
extern "C" {
__attribute__((visibility("default"))) extern const int kmux_code_wavefront = kmux_wavefront;
__attribute__((visibility("default"))) extern const char kmux_code_arch[] = KMUX_ARCH;
__attribute__((visibility("default"))) kmux_gpu_state kmux_gpu;
__attribute__((visibility("default"))) kmux_gpu_calls kmux_calls;
alignas(1024) __attribute__((visibility("default"))) char kmux_dynamic_smem[65536 + 64];
}
static char kmux_exchange[1024][16];

#define threadIdx (kmux_gpu.thread)
#define blockIdx (kmux_gpu.block)
#define blockDim (kmux_gpu.block_dim)
#define gridDim (kmux_gpu.grid_dim)
#define warpSize kmux_wavefront
#define __expf expf

// Other threads run meanwhile, so each keeps where it is on its own stack.
static inline void __syncthreads() {
  const kmux_gpu_state self = kmux_gpu;
  kmux_calls.wait_for_block();
  kmux_gpu = self;
}
static inline void kmux_wait_for_wavefront() {
  const kmux_gpu_state self = kmux_gpu;
  kmux_calls.wait_for_wavefront();
  kmux_gpu = self;
}
static inline void __threadfence() {}
static inline void __threadfence_block() {}

// One thread runs at a time, so nothing comes between. Values convert to the type of the memory, as for HIP's overloads.
template <class T>
struct kmux_type_of {
  typedef T type;
};
template <class T>
static inline T atomicAdd(T* address, typename kmux_type_of<T>::type value) {
  const T before = *address;
  *address = static_cast<T>(before + value);
  return before;
}
template <class T>
static inline T atomicSub(T* address, typename kmux_type_of<T>::type value) {
  const T before = *address;
  *address = static_cast<T>(before - value);
  return before;
}
template <class T>
static inline T atomicExch(T* address, typename kmux_type_of<T>::type value) {
  const T before = *address;
  *address = value;
  return before;
}
template <class T>
static inline T atomicMin(T* address, typename kmux_type_of<T>::type value) {
  const T before = *address;
  if (value < before) *address = value;
  return before;
}
template <class T>
static inline T atomicMax(T* address, typename kmux_type_of<T>::type value) {
  const T before = *address;
  if (before < value) *address = value;
  return before;
}
template <class T>
static inline T atomicOr(T* address, typename kmux_type_of<T>::type value) {
  const T before = *address;
  *address = before | value;
  return before;
}
template <class T>
static inline T atomicCAS(T* address, typename kmux_type_of<T>::type expected, typename kmux_type_of<T>::type value) {
  const T before = *address;
  if (before == expected) *address = value;
  return before;
}

// Each thread of a wavefront writes its value, then reads another's.
template <class T>
static inline T kmux_from_lane(T value, int lane) {
  const unsigned first = kmux_gpu.index / kmux_wavefront * kmux_wavefront;
  memcpy(kmux_exchange[kmux_gpu.index], &value, sizeof value);
  kmux_wait_for_wavefront();
  memcpy(&value, kmux_exchange[first + static_cast<unsigned>(lane)], sizeof value);
  kmux_wait_for_wavefront();
  return value;
}
static inline int kmux_lane() { return static_cast<int>(kmux_gpu.index % kmux_wavefront); }
template <class T>
static inline T __shfl(T value, int lane, int width = kmux_wavefront) {
  return kmux_from_lane(value, (lane & (width - 1)) + (kmux_lane() & ~(width - 1)));
}
template <class T>
static inline T __shfl_down(T value, unsigned delta, int width = kmux_wavefront) {
  const int lane = kmux_lane() + static_cast<int>(delta);
  return kmux_from_lane(value, (kmux_lane() & (width - 1)) + static_cast<int>(delta) >= width ? kmux_lane() : lane);
}
template <class T>
static inline T __shfl_xor(T value, int mask, int = kmux_wavefront) {
  return kmux_from_lane(value, kmux_lane() ^ mask);
}
template <class T>
static inline T __ldg(const T* address) {
  return *address;
}
template <class A, class B>
static inline auto min(A a, B b) -> decltype(a + b) {
  return a < b ? a : b;
}
template <class A, class B>
static inline auto max(A a, B b) -> decltype(a + b) {
  return a < b ? b : a;
}
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

// Calls a kernel with arguments as a launch passes them.
template <class... A>
struct kmux_kernel {
  template <int...>
  struct indices {};
  template <int n, int... all>
  struct up_to : up_to<n - 1, n - 1, all...> {};
  template <int... all>
  struct up_to<0, all...> {
    typedef indices<all...> type;
  };
  template <int... all>
  static void call(void (*kernel)(A...), [[maybe_unused]] void** args, indices<all...>) {
    kernel(*static_cast<__remove_cvref(A)*>(args[all])...);
  }
};
template <class... A>
static inline void kmux_call(void (*kernel)(A...), void** args) {
  kmux_kernel<A...>::call(kernel, args, typename kmux_kernel<A...>::template up_to<sizeof...(A)>::type());
}

// The number of arguments, then the bytes of each.
template <class... A>
static inline const unsigned* kmux_argument_sizes(void (*)(A...)) {
  static const unsigned sizes[] = {sizeof...(A), sizeof(A)...};
  return sizes;
}
