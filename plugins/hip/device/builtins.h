// What HIP C++ means where its sources are compiled without HIP's headers: the language, barriers, vectors and atomics. Comes
// before every source of engine clang, with the other files of this folder and the headers of plugins/simt/frontend/device that are plain
// arithmetic (CMakeLists.txt has their order).
#pragma once
#pragma clang system_header

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define KMUX_DEVICE static inline __device__ __attribute__((always_inline, unused))

#define threadIdx \
  (dim3{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()})
#define blockIdx \
  (dim3{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()})
#define blockDim \
  (dim3{__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z()})
#define gridDim                                                                                   \
  (dim3{__builtin_amdgcn_grid_size_x() / blockDim.x, __builtin_amdgcn_grid_size_y() / blockDim.y, \
        __builtin_amdgcn_grid_size_z() / blockDim.z})
#define warpSize __builtin_amdgcn_wavefrontsize()

struct uint3;
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(const uint3& v);
  constexpr operator uint3() const;
};
typedef _Float16 __half;
typedef _Float16 half;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
// hiprtc and HIP's headers have these without <cstdint>.
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;

// A function that AMD's devices or this header lack: an error where code for the device calls it.
#define KMUX_REFUSED(why) \
  __device__ __attribute__((error("not for AMD's devices with Clang and kmux's headers (" why ")")))
#define KMUX_NO_FLOAT_CONTROL

// As in HIP, a barrier orders memory of the block, too.
KMUX_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
KMUX_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
KMUX_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
KMUX_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// Vectors of 1 to 4.
#define KMUX_VECTORS(type, name)                                                   \
  struct name##1 { type x; };                                                      \
  struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };        \
  struct name##3 { type x, y, z; };                                                \
  struct __attribute__((aligned(4 * sizeof(type)))) name##4 { type x, y, z, w; };  \
  KMUX_DEVICE name##1 make_##name##1(type x) { return {x}; }                       \
  KMUX_DEVICE name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  KMUX_DEVICE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  KMUX_DEVICE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
KMUX_VECTORS(char, char)
KMUX_VECTORS(unsigned char, uchar)
KMUX_VECTORS(short, short)
KMUX_VECTORS(unsigned short, ushort)
KMUX_VECTORS(int, int)
KMUX_VECTORS(unsigned, uint)
KMUX_VECTORS(long, long)
KMUX_VECTORS(unsigned long, ulong)
KMUX_VECTORS(long long, longlong)
KMUX_VECTORS(unsigned long long, ulonglong)
KMUX_VECTORS(float, float)
KMUX_VECTORS(double, double)
#undef KMUX_VECTORS
constexpr dim3::dim3(const uint3& v) : x(v.x), y(v.y), z(v.z) {}
constexpr dim3::operator uint3() const { return {x, y, z}; }

// Atomics over memory of the device and of the block; each returns the previous value. Values convert to the type of the
// memory, as they do for HIP's overloads.
template <class T>
struct kmux_type_of {
  using type = T;
};
template <class T>
using kmux_value = typename kmux_type_of<T>::type;
// name, name_block and name_system: for threads of the device, of the block, and of the host as well.
#define KMUX_ATOMIC_OF(name, operation, scope)                 \
  template <class T>                                           \
  KMUX_DEVICE T name(T* address, kmux_value<T> value) {        \
    return operation(address, value, __ATOMIC_RELAXED, scope); \
  }
#define KMUX_ATOMIC(name, operation)                                    \
  KMUX_ATOMIC_OF(name, operation, __HIP_MEMORY_SCOPE_AGENT)             \
  KMUX_ATOMIC_OF(name##_block, operation, __HIP_MEMORY_SCOPE_WORKGROUP) \
  KMUX_ATOMIC_OF(name##_system, operation, __HIP_MEMORY_SCOPE_SYSTEM)
KMUX_ATOMIC(atomicAdd, __hip_atomic_fetch_add)
KMUX_ATOMIC(atomicMin, __hip_atomic_fetch_min)
KMUX_ATOMIC(atomicMax, __hip_atomic_fetch_max)
KMUX_ATOMIC(atomicAnd, __hip_atomic_fetch_and)
KMUX_ATOMIC(atomicOr, __hip_atomic_fetch_or)
KMUX_ATOMIC(atomicXor, __hip_atomic_fetch_xor)
KMUX_ATOMIC(atomicExch, __hip_atomic_exchange)
#undef KMUX_ATOMIC
#undef KMUX_ATOMIC_OF
#define KMUX_ATOMIC_CAS(name, scope)                                                                            \
  template <class T>                                                                                            \
  KMUX_DEVICE T name(T* address, kmux_value<T> expected, kmux_value<T> value) {                                 \
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
    return expected;                                                                                            \
  }
KMUX_ATOMIC_CAS(atomicCAS, __HIP_MEMORY_SCOPE_AGENT)
KMUX_ATOMIC_CAS(atomicCAS_block, __HIP_MEMORY_SCOPE_WORKGROUP)
KMUX_ATOMIC_CAS(atomicCAS_system, __HIP_MEMORY_SCOPE_SYSTEM)
#undef KMUX_ATOMIC_CAS
#define KMUX_ATOMIC_SUB(name, add)                      \
  template <class T>                                    \
  KMUX_DEVICE T name(T* address, kmux_value<T> value) { \
    return add(address, static_cast<T>(-value));        \
  }
KMUX_ATOMIC_SUB(atomicSub, atomicAdd)
KMUX_ATOMIC_SUB(atomicSub_block, atomicAdd_block)
KMUX_ATOMIC_SUB(atomicSub_system, atomicAdd_system)
#undef KMUX_ATOMIC_SUB
// Counters that begin again past `last`, upwards and downwards.
#define KMUX_COUNTER(name, scope)                                                 \
  KMUX_DEVICE unsigned atomicInc##name(unsigned* address, unsigned last) {        \
    return __builtin_amdgcn_atomic_inc32(address, last, __ATOMIC_RELAXED, scope); \
  }                                                                               \
  KMUX_DEVICE unsigned atomicDec##name(unsigned* address, unsigned last) {        \
    return __builtin_amdgcn_atomic_dec32(address, last, __ATOMIC_RELAXED, scope); \
  }
KMUX_COUNTER(, "agent")
KMUX_COUNTER(_block, "workgroup")
KMUX_COUNTER(_system, "")
#undef KMUX_COUNTER

// Sums over a block: each thread adds, and reads when all have.
KMUX_DEVICE int __syncthreads_count(int predicate) {
  __shared__ int count;
  __syncthreads();
  count = 0;
  __syncthreads();
  if (predicate != 0) atomicAdd_block(&count, 1);
  __syncthreads();
  return count;
}
KMUX_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
KMUX_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(predicate == 0) == 0; }
