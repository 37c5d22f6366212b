// What CUDA C++ means where its sources are compiled for this processor. Comes before every source; the calls of the first
// group are those that spmd/thread_calls.h names.
#pragma once

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
KMUX_INDEX(kmux_lane, "lane")
#undef KMUX_INDEX
void kmux_barrier(void) noexcept __asm__("kmux.barrier") __attribute__((convergent));
int kmux_shuffle(int value, int lane) noexcept __asm__("kmux.shuffle") __attribute__((convergent, const));
unsigned kmux_ballot(int condition) noexcept __asm__("kmux.ballot") __attribute__((convergent));
int printf(const char*, ...);
}

#define __CUDACC__ 1
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__
#define __shared__ __attribute__((annotate("kmux.shared"), aligned(16)))
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict
#define KMUX_DEVICE static inline __attribute__((always_inline, unused))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// threadIdx.x reads as it does for CUDA, and whole ones are copied.
#define KMUX_AXIS(index, axis)                                          \
  KMUX_DEVICE unsigned get_##axis() { return kmux_##index##_##axis(); } \
  __declspec(property(get = get_##axis)) unsigned axis;
#define KMUX_INDEX(index, type)                                                         \
  struct kmux_##index##_index {                                                         \
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
#define threadIdx (kmux_thread_index{})
#define blockIdx (kmux_block_index{})
#define blockDim (kmux_block_dim_index{})
#define gridDim (kmux_grid_dim_index{})
#define warpSize 32

typedef __SIZE_TYPE__ size_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 __half;
typedef _Float16 half;
typedef __bf16 __nv_bfloat16;

// Vectors of 1 to 4.
#define KMUX_VECTORS(type, name)                                                                          \
  struct name##1 { type x; };                                                                             \
  struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };                               \
  KMUX_VECTOR_3(type, name)                                                                               \
  struct __attribute__((aligned(sizeof(type) > 4 ? 16 : 4 * sizeof(type)))) name##4 { type x, y, z, w; }; \
  KMUX_DEVICE name##1 make_##name##1(type x) { return {x}; }                                              \
  KMUX_DEVICE name##2 make_##name##2(type x, type y) { return {x, y}; }                                   \
  KMUX_DEVICE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                        \
  KMUX_DEVICE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define KMUX_VECTOR_3(type, name) \
  struct name##3 { type x, y, z; };
KMUX_VECTORS(signed char, char)
KMUX_VECTORS(unsigned char, uchar)
KMUX_VECTORS(short, short)
KMUX_VECTORS(unsigned short, ushort)
KMUX_VECTORS(int, int)
KMUX_VECTORS(long, long)
KMUX_VECTORS(unsigned long, ulong)
KMUX_VECTORS(long long, longlong)
KMUX_VECTORS(unsigned long long, ulonglong)
KMUX_VECTORS(float, float)
KMUX_VECTORS(double, double)
#undef KMUX_VECTOR_3
#define KMUX_VECTOR_3(type, name)  // above
KMUX_VECTORS(unsigned, uint)
#undef KMUX_VECTOR_3
#undef KMUX_VECTORS

// The threads of a block.
KMUX_DEVICE void __syncthreads() { kmux_barrier(); }
KMUX_DEVICE void __syncwarp(unsigned = ~0u) {}
KMUX_DEVICE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE int __syncthreads_count(int predicate) {
  __shared__ int count;
  kmux_barrier();
  if (kmux_thread_x() + kmux_thread_y() + kmux_thread_z() == 0) count = 0;
  kmux_barrier();
  if (predicate) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  kmux_barrier();
  return count;
}
KMUX_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
KMUX_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

// Exchange within a warp. Values of any size move in words of 32 bits.
template <class T>
KMUX_DEVICE T kmux_from_lane(T value, int lane) {
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof value);
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < sizeof words / 4; ++i) words[i] = kmux_shuffle(words[i], lane);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
template <class T>
KMUX_DEVICE T __shfl_sync(unsigned, T value, int lane, int width = warpSize) {
  const int self = static_cast<int>(kmux_lane());
  return kmux_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <class T>
KMUX_DEVICE T __shfl_up_sync(unsigned, T value, unsigned delta, int width = warpSize) {
  const int self = static_cast<int>(kmux_lane());
  const int lane = self - static_cast<int>(delta);
  return kmux_from_lane(value, lane < (self & ~(width - 1)) ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_down_sync(unsigned, T value, unsigned delta, int width = warpSize) {
  const int self = static_cast<int>(kmux_lane());
  const int lane = self + static_cast<int>(delta);
  return kmux_from_lane(value, (self & (width - 1)) + static_cast<int>(delta) >= width ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_xor_sync(unsigned, T value, int mask, int width = warpSize) {
  const int self = static_cast<int>(kmux_lane());
  const int lane = self ^ mask;
  return kmux_from_lane(value, lane >= ((self + width) & ~(width - 1)) ? self : lane);
}
KMUX_DEVICE unsigned __activemask() { return kmux_ballot(1); }
KMUX_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) { return kmux_ballot(predicate) & mask; }
KMUX_DEVICE int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
KMUX_DEVICE int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

// Atomics over memory of the device and of the block; each gives what was there before. Values convert to the type of the
// memory, as they do for CUDA's overloads.
template <class T>
struct kmux_type_of {
  using type = T;
};
template <class T>
using kmux_value = typename kmux_type_of<T>::type;
#define KMUX_ATOMIC(name, operation)                    \
  template <class T>                                    \
  KMUX_DEVICE T name(T* address, kmux_value<T> value) { \
    return operation(address, value, __ATOMIC_RELAXED); \
  }
KMUX_ATOMIC(atomicAdd, __atomic_fetch_add)
KMUX_ATOMIC(atomicSub, __atomic_fetch_sub)
KMUX_ATOMIC(atomicMin, __atomic_fetch_min)
KMUX_ATOMIC(atomicMax, __atomic_fetch_max)
KMUX_ATOMIC(atomicAnd, __atomic_fetch_and)
KMUX_ATOMIC(atomicOr, __atomic_fetch_or)
KMUX_ATOMIC(atomicXor, __atomic_fetch_xor)
#undef KMUX_ATOMIC
template <class T>
KMUX_DEVICE T atomicExch(T* address, kmux_value<T> value) {
  T before;
  __atomic_exchange(address, &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class T>
KMUX_DEVICE T atomicCAS(T* address, kmux_value<T> expected, kmux_value<T> value) {
  __atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
KMUX_DEVICE unsigned atomicInc(unsigned* address, unsigned limit) {
  unsigned before = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &before, before >= limit ? 0 : before + 1, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}
KMUX_DEVICE unsigned atomicDec(unsigned* address, unsigned limit) {
  unsigned before = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &before, before == 0 || before > limit ? limit : before - 1, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}

// Loads and stores with hints.
#define KMUX_LOAD(name)                  \
  template <class T>                     \
  KMUX_DEVICE T name(const T* address) { \
    return *address;                     \
  }
KMUX_LOAD(__ldg)
KMUX_LOAD(__ldca)
KMUX_LOAD(__ldcg)
KMUX_LOAD(__ldcs)
KMUX_LOAD(__ldlu)
KMUX_LOAD(__ldcv)
#undef KMUX_LOAD
#define KMUX_STORE(name)                       \
  template <class T>                           \
  KMUX_DEVICE void name(T* address, T value) { \
    *address = value;                          \
  }
KMUX_STORE(__stwb)
KMUX_STORE(__stcg)
KMUX_STORE(__stcs)
KMUX_STORE(__stwt)
#undef KMUX_STORE

// Bits.
KMUX_DEVICE int __popc(unsigned value) { return __builtin_popcount(value); }
KMUX_DEVICE int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
KMUX_DEVICE int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
KMUX_DEVICE int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
KMUX_DEVICE int __ffs(int value) { return __builtin_ffs(value); }
KMUX_DEVICE int __ffsll(long long value) { return __builtin_ffsll(value); }
KMUX_DEVICE unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }
KMUX_DEVICE unsigned long long __brevll(unsigned long long value) { return __builtin_bitreverse64(value); }
KMUX_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
KMUX_DEVICE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
KMUX_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
KMUX_DEVICE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
KMUX_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
KMUX_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((static_cast<unsigned long long>(high) << 32) | low) << (shift & 31)) >> 32);
}
KMUX_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> (shift & 31));
}
KMUX_DEVICE float __int_as_float(int value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE float __uint_as_float(unsigned value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
KMUX_DEVICE unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
KMUX_DEVICE double __longlong_as_double(long long value) { return __builtin_bit_cast(double, value); }
KMUX_DEVICE long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }

// Mathematics, by the names of C, with CUDA's overloads for float.
#define KMUX_MATH_1(name)                   \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  KMUX_DEVICE float name(float x) { return name##f(x); }
#define KMUX_MATH_2(name)                          \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept; \
  KMUX_DEVICE float name(float x, float y) { return name##f(x, y); }
KMUX_MATH_1(acos)
KMUX_MATH_1(acosh)
KMUX_MATH_1(asin)
KMUX_MATH_1(asinh)
KMUX_MATH_1(atan)
KMUX_MATH_1(atanh)
KMUX_MATH_1(cbrt)
KMUX_MATH_1(ceil)
KMUX_MATH_1(cos)
KMUX_MATH_1(cosh)
KMUX_MATH_1(erf)
KMUX_MATH_1(erfc)
KMUX_MATH_1(exp)
KMUX_MATH_1(exp2)
KMUX_MATH_1(expm1)
KMUX_MATH_1(fabs)
KMUX_MATH_1(floor)
KMUX_MATH_1(lgamma)
KMUX_MATH_1(log)
KMUX_MATH_1(log10)
KMUX_MATH_1(log1p)
KMUX_MATH_1(log2)
KMUX_MATH_1(nearbyint)
KMUX_MATH_1(rint)
KMUX_MATH_1(round)
KMUX_MATH_1(sin)
KMUX_MATH_1(sinh)
KMUX_MATH_1(sqrt)
KMUX_MATH_1(tan)
KMUX_MATH_1(tanh)
KMUX_MATH_1(tgamma)
KMUX_MATH_1(trunc)
KMUX_MATH_2(atan2)
KMUX_MATH_2(copysign)
KMUX_MATH_2(fdim)
KMUX_MATH_2(fmax)
KMUX_MATH_2(fmin)
KMUX_MATH_2(fmod)
KMUX_MATH_2(hypot)
KMUX_MATH_2(pow)
KMUX_MATH_2(remainder)
#undef KMUX_MATH_1
#undef KMUX_MATH_2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
KMUX_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
extern "C" int abs(int) noexcept;
KMUX_DEVICE float abs(float x) { return fabsf(x); }
KMUX_DEVICE double abs(double x) { return fabs(x); }
KMUX_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
KMUX_DEVICE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
KMUX_DEVICE double rsqrt(double x) { return 1.0 / sqrt(x); }
KMUX_DEVICE float rsqrt(float x) { return rsqrtf(x); }
KMUX_DEVICE float exp10f(float x) { return powf(10.0f, x); }
KMUX_DEVICE void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
KMUX_DEVICE void sincos(double x, double* sine, double* cosine) { *sine = sin(x), *cosine = cos(x); }
KMUX_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
KMUX_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
KMUX_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
KMUX_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
KMUX_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
KMUX_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }
KMUX_DEVICE float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
KMUX_DEVICE float __expf(float x) { return expf(x); }
KMUX_DEVICE float __exp10f(float x) { return exp10f(x); }
KMUX_DEVICE float __logf(float x) { return logf(x); }
KMUX_DEVICE float __log2f(float x) { return log2f(x); }
KMUX_DEVICE float __log10f(float x) { return log10f(x); }
KMUX_DEVICE float __sinf(float x) { return sinf(x); }
KMUX_DEVICE float __cosf(float x) { return cosf(x); }
KMUX_DEVICE float __tanf(float x) { return tanf(x); }
KMUX_DEVICE float __powf(float x, float y) { return powf(x, y); }
KMUX_DEVICE float __fdividef(float x, float y) { return x / y; }
KMUX_DEVICE float __frcp_rn(float x) { return 1.0f / x; }
KMUX_DEVICE float __fsqrt_rn(float x) { return sqrtf(x); }
KMUX_DEVICE float __frsqrt_rn(float x) { return rsqrtf(x); }
KMUX_DEVICE float __fadd_rn(float x, float y) { return x + y; }
KMUX_DEVICE float __fmul_rn(float x, float y) { return x * y; }
KMUX_DEVICE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
KMUX_DEVICE int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
KMUX_DEVICE int __float2int_rz(float x) { return static_cast<int>(x); }
KMUX_DEVICE int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
KMUX_DEVICE int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
KMUX_DEVICE float __int2float_rn(int x) { return static_cast<float>(x); }
template <class A, class B>
KMUX_DEVICE auto min(A a, B b) -> decltype(a + b) {
  return a < b ? a : b;
}
template <class A, class B>
KMUX_DEVICE auto max(A a, B b) -> decltype(a + b) {
  return a < b ? b : a;
}
KMUX_DEVICE float min(float a, float b) { return fminf(a, b); }
KMUX_DEVICE float max(float a, float b) { return fmaxf(a, b); }
KMUX_DEVICE double min(double a, double b) { return fmin(a, b); }
KMUX_DEVICE double max(double a, double b) { return fmax(a, b); }

// Numbers of 16 bits.
KMUX_DEVICE half __float2half(float x) { return static_cast<half>(x); }
KMUX_DEVICE half __float2half_rn(float x) { return static_cast<half>(x); }
KMUX_DEVICE float __half2float(half x) { return static_cast<float>(x); }
KMUX_DEVICE __nv_bfloat16 __float2bfloat16(float x) { return static_cast<__nv_bfloat16>(x); }
KMUX_DEVICE float __bfloat162float(__nv_bfloat16 x) { return static_cast<float>(x); }
