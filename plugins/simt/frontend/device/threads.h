// The meaning of CUDA C++ where its sources are compiled for this processor. Precedes every source; the calls of the
// first group are those that simt/analysis/thread_calls.h names.
#pragma once

// The warp size is the one that a HIP source relies on.
#ifndef KMUX_WAVEFRONT
#define KMUX_WAVEFRONT 32
#endif
#if KMUX_WAVEFRONT == 64
#define KMUX_OF_WARP(what) what ".64"
typedef unsigned long long kmux_lanes;  // one bit per lane
#else
#define KMUX_OF_WARP(what) what
typedef unsigned kmux_lanes;
#endif
static_assert(KMUX_WAVEFRONT == 32 || KMUX_WAVEFRONT == 64, "KMUX_WAVEFRONT is 32 or 64");

extern "C" {
#define KMUX_INDEX(name, what) unsigned name(void) noexcept __asm__("kmux." what) __attribute__((const));
KMUX_INDEX(kmux_thread_x, "thread.x")
KMUX_INDEX(kmux_thread_y, "thread.y")
KMUX_INDEX(kmux_thread_z, "thread.z")
KMUX_INDEX(kmux_block_x, "block.x")
KMUX_INDEX(kmux_block_y, "block.y")
KMUX_INDEX(kmux_block_z, "block.z")
KMUX_INDEX(kmux_block_dim_x, "block_dim.x")
KMUX_INDEX(kmux_block_dim_y, "block_dim.y")
KMUX_INDEX(kmux_block_dim_z, "block_dim.z")
KMUX_INDEX(kmux_grid_dim_x, "grid_dim.x")
KMUX_INDEX(kmux_grid_dim_y, "grid_dim.y")
KMUX_INDEX(kmux_grid_dim_z, "grid_dim.z")
KMUX_INDEX(kmux_lane, KMUX_OF_WARP("lane"))
KMUX_INDEX(kmux_cooperative, "cooperative")
#undef KMUX_INDEX
// x times 2 to the integer `power`, rounded once: an AVX-512 instruction.
#ifdef __AVX512VL__
#define KMUX_SCALES
float kmux_scale_float(float x, float power) noexcept __asm__("kmux.scale.float") __attribute__((const));
double kmux_scale_double(double x, double power) noexcept __asm__("kmux.scale.double") __attribute__((const));
#endif
void kmux_barrier(void) noexcept __asm__("kmux.barrier") __attribute__((convergent));
void kmux_grid_barrier(void) noexcept __asm__("kmux.grid_barrier") __attribute__((convergent));
int kmux_shuffle(int value, int lane) noexcept __asm__("kmux." KMUX_OF_WARP("shuffle"))
    __attribute__((convergent, const));
kmux_lanes kmux_ballot(int condition) noexcept __asm__("kmux." KMUX_OF_WARP("ballot")) __attribute__((convergent));
void kmux_participants(unsigned mask) noexcept __asm__("kmux.participants") __attribute__((convergent));
void kmux_sync_warp(void) noexcept __asm__("kmux.sync_warp") __attribute__((convergent));
int printf(const char*, ...);
}

// As NVRTC, which compiles device code alone. The architecture is the last one before those whose features need inline
// PTX for their hardware (manual copies, tensor cores of other shapes), so that sources take the C++ path, unless the
// program requires a later one (cuda_arch.h).
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __NVCC__ 1
#ifdef KMUX_CUDA_ARCH
#define __CUDA_ARCH__ KMUX_CUDA_ARCH
#define __CUDA_ARCH_LIST__ KMUX_CUDA_ARCH
#define __CUDACC_VER_MINOR__ 8
#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#else
#define __CUDA_ARCH__ 700
#define __CUDACC_VER_MINOR__ 4
#define CUDA_VERSION 12040
#define CUDART_VERSION 12040
#endif

// Functions that need GPU hardware can be declared, and are refused with file and line (simt/analysis/refusals.cpp) where a
// kernel calls them, or is one.
#define KMUX_REFUSED(why) __attribute__((error("not for this processor (" why ")")))

#define __global__ __attribute__((visibility("default"), used))
#define __device__
#define __host__
#define __constant__ __attribute__((annotate("kmux.constant")))
#define __grid_constant__
#define __managed__
#define __cluster_dims__(...) __attribute__((annotate("kmux.cluster", __VA_ARGS__)))
#define __shared__ __attribute__((annotate("kmux.shared"), aligned(16)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__ inline
#define __assume(condition) __builtin_assume(condition)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __CUDA_ALIGN__(bytes) __attribute__((aligned(bytes)))
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict
#define __device_builtin__
#define __cudart_builtin__
#define KMUX_DEVICE static inline __attribute__((always_inline, unused))

typedef struct CUstream_st* cudaStream_t;  // device code passes it on at most

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  // In one step from an index, since a return value converts by no more.
  template <class Index, class = typename Index::kmux_value>
  constexpr dim3(const Index& index) : x(index.x), y(index.y), z(index.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// threadIdx.x is readable as in CUDA, and the whole object can be copied. The indices are objects, not macros, so that a
// function may declare a variable of the same name.
#define KMUX_AXIS(index, axis)                                          \
  KMUX_DEVICE unsigned get_##axis() { return kmux_##index##_##axis(); } \
  __declspec(property(get = get_##axis)) unsigned axis;
#define KMUX_INDEX(index, type)                                                         \
  struct kmux_##index##_index {                                                         \
    using kmux_value = type;                                                            \
    KMUX_AXIS(index, x) KMUX_AXIS(index, y) KMUX_AXIS(index, z) operator type() const { \
      return {kmux_##index##_x(), kmux_##index##_y(), kmux_##index##_z()};              \
    }                                                                                   \
  };
KMUX_INDEX(thread, uint3)
KMUX_INDEX(block, uint3)
KMUX_INDEX(block_dim, dim3)
KMUX_INDEX(grid_dim, dim3)
#undef KMUX_INDEX
#undef KMUX_AXIS
static constexpr kmux_thread_index threadIdx{};
static constexpr kmux_block_index blockIdx{};
static constexpr kmux_block_dim_index blockDim{};
static constexpr kmux_grid_dim_index gridDim{};
constexpr int warpSize = KMUX_WAVEFRONT;

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef NULL
#define NULL __null
#endif

extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;
extern "C" void* memmove(void*, const void*, size_t) noexcept;
extern "C" int memcmp(const void*, const void*, size_t) noexcept;
extern "C" void* malloc(size_t) noexcept;
#define alloca(bytes) __builtin_alloca(bytes)
extern "C" void free(void*) noexcept;
template <class T>
struct kmux_type_of {
  using type = T;
};
template <class T>
using kmux_value = typename kmux_type_of<T>::type;  // converts to the type T that another argument determines

// The compiler builds this type from a braced list.
namespace std {
template <class T>
class initializer_list {
 public:
  using value_type = T;
  using iterator = const T*;
  constexpr initializer_list() noexcept : begin_(nullptr), size_(0) {}
  constexpr const T* begin() const noexcept { return begin_; }
  constexpr const T* end() const noexcept { return begin_ + size_; }
  constexpr size_t size() const noexcept { return size_; }

 private:
  const T* begin_;
  size_t size_;
};
}  // namespace std
