// What HIP C++ means where its sources are compiled without HIP's headers. Comes before every source of engine clang.
#pragma once

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

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
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

// As in HIP, a barrier orders memory of the block, too.
KMUX_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
KMUX_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
KMUX_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
KMUX_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// Vectors of 2, 3 and 4.
#define KMUX_VECTORS(type, name)                                                   \
  struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };        \
  struct name##3 { type x, y, z; };                                                \
  struct __attribute__((aligned(4 * sizeof(type)))) name##4 { type x, y, z, w; };  \
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
KMUX_VECTORS(float, float)
KMUX_VECTORS(double, double)
#undef KMUX_VECTORS

// Atomics over memory of the device and of the block; each gives what was there before. Values convert to the type of the
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
KMUX_DEVICE unsigned atomicInc(unsigned* address, unsigned last) {
  return __builtin_amdgcn_atomic_inc32(address, last, __ATOMIC_RELAXED, "agent");
}
KMUX_DEVICE unsigned atomicDec(unsigned* address, unsigned last) {
  return __builtin_amdgcn_atomic_dec32(address, last, __ATOMIC_RELAXED, "agent");
}

// Exchange within a wavefront. Values of any size move in words of 32 bits.
KMUX_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
template <class T>
KMUX_DEVICE T kmux_from_lane(T value, int lane) {
  union {
    T value;
    int words[(sizeof(T) + 3) / 4];
  } all = {value};
  for (int& word : all.words) word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
  return all.value;
}
template <class T>
KMUX_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  return kmux_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <class T>
KMUX_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  const int lane = self - static_cast<int>(delta);
  return kmux_from_lane(value, lane < (self & ~(width - 1)) ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  const int lane = self + static_cast<int>(delta);
  return kmux_from_lane(value, (self & (width - 1)) + static_cast<int>(delta) >= width ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  const int lane = self ^ mask;
  return kmux_from_lane(value, lane >= ((self + width) & ~(width - 1)) ? self : lane);
}
KMUX_DEVICE unsigned long __ballot(int predicate) {
  constexpr int kNotEqual = 33;  // of LLVM's ICmpInst
  return __builtin_amdgcn_uicmp(static_cast<unsigned>(predicate), 0u, kNotEqual);
}
KMUX_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
KMUX_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }
KMUX_DEVICE int __popc(unsigned value) { return __builtin_popcount(value); }
KMUX_DEVICE int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
KMUX_DEVICE int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
KMUX_DEVICE int __ffs(int value) { return __builtin_ffs(value); }
template <class T>
KMUX_DEVICE T __ldg(const T* address) {
  return *address;
}
KMUX_DEVICE float __int_as_float(int value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }

// Numbers: what the compiler itself can do is done here, the rest by AMD's device library.
#define KMUX_OWN(name)                                                  \
  KMUX_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
  KMUX_DEVICE float name(float x) { return __builtin_##name##f(x); }    \
  KMUX_DEVICE double name(double x) { return __builtin_##name(x); }
#define KMUX_OWN_2(name)                                                            \
  KMUX_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  KMUX_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); }    \
  KMUX_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
#define KMUX_LIBRARY_OF(name, type, suffix) extern "C" __device__ type __ocml_##name##_##suffix(type);
#define KMUX_LIBRARY_2_OF(name, type, suffix) extern "C" __device__ type __ocml_##name##_##suffix(type, type);
#define KMUX_LIBRARY(name)                                                                                  \
  KMUX_LIBRARY_OF(name, float, f32) KMUX_LIBRARY_OF(name, double, f64) KMUX_DEVICE float name##f(float x) { \
    return __ocml_##name##_f32(x);                                                                          \
  }                                                                                                         \
  KMUX_DEVICE float name(float x) { return __ocml_##name##_f32(x); }                                        \
  KMUX_DEVICE double name(double x) { return __ocml_##name##_f64(x); }
#define KMUX_LIBRARY_2(name)                                                         \
  KMUX_LIBRARY_2_OF(name, float, f32)                                                \
  KMUX_LIBRARY_2_OF(name, double, f64) KMUX_DEVICE float name##f(float x, float y) { \
    return __ocml_##name##_f32(x, y);                                                \
  }                                                                                  \
  KMUX_DEVICE float name(float x, float y) { return __ocml_##name##_f32(x, y); }     \
  KMUX_DEVICE double name(double x, double y) { return __ocml_##name##_f64(x, y); }
#define KMUX_HALF_OWN(name)                                             \
  KMUX_LIBRARY_OF(name, double, f64)                                    \
  KMUX_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
  KMUX_DEVICE float name(float x) { return __builtin_##name##f(x); }    \
  KMUX_DEVICE double name(double x) { return __ocml_##name##_f64(x); }
// clang-format off
KMUX_OWN(fabs) KMUX_OWN(floor) KMUX_OWN(ceil) KMUX_OWN(trunc) KMUX_OWN(rint) KMUX_OWN(sqrt) KMUX_OWN(nearbyint)
KMUX_OWN_2(fmin) KMUX_OWN_2(fmax) KMUX_OWN_2(copysign)
KMUX_HALF_OWN(exp) KMUX_HALF_OWN(exp2) KMUX_HALF_OWN(log) KMUX_HALF_OWN(log2) KMUX_HALF_OWN(log10)
KMUX_LIBRARY(sin) KMUX_LIBRARY(cos) KMUX_LIBRARY(tan) KMUX_LIBRARY(sinh) KMUX_LIBRARY(cosh) KMUX_LIBRARY(tanh)
KMUX_LIBRARY(asin) KMUX_LIBRARY(acos) KMUX_LIBRARY(atan) KMUX_LIBRARY(erf) KMUX_LIBRARY(erfc) KMUX_LIBRARY(cbrt)
KMUX_LIBRARY(rsqrt) KMUX_LIBRARY(expm1) KMUX_LIBRARY(log1p) KMUX_LIBRARY(round)
KMUX_LIBRARY_2(pow) KMUX_LIBRARY_2(atan2) KMUX_LIBRARY_2(fmod) KMUX_LIBRARY_2(hypot)
// clang-format on
#undef KMUX_OWN
#undef KMUX_OWN_2
#undef KMUX_LIBRARY_OF
#undef KMUX_LIBRARY_2_OF
#undef KMUX_LIBRARY
#undef KMUX_LIBRARY_2
#undef KMUX_HALF_OWN
                        KMUX_DEVICE float fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
KMUX_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
KMUX_DEVICE int abs(int x) { return __builtin_abs(x); }
KMUX_DEVICE float __expf(float x) { return __builtin_expf(x); }
KMUX_DEVICE float __logf(float x) { return __builtin_logf(x); }
KMUX_DEVICE float __fdividef(float x, float y) { return x / y; }
#define KMUX_EXTREMES(type)                                      \
  KMUX_DEVICE type min(type x, type y) { return x < y ? x : y; } \
  KMUX_DEVICE type max(type x, type y) { return x < y ? y : x; }
KMUX_EXTREMES(int)
KMUX_EXTREMES(unsigned)
KMUX_EXTREMES(long)
KMUX_EXTREMES(unsigned long)
KMUX_EXTREMES(long long)
KMUX_EXTREMES(unsigned long long)
#undef KMUX_EXTREMES
KMUX_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
KMUX_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
KMUX_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
KMUX_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }

// Halves. What the hardware does in 16 bits is done so, the rest in 32.
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef half2 __half2;
#define KMUX_HALF_1(name, expression) \
  KMUX_DEVICE half name(half x) { return static_cast<half>(expression); }
#define KMUX_HALF_2(name, expression) \
  KMUX_DEVICE half name(half x, half y) { return expression; }
#define KMUX_HALF_TEST(name, operation) \
  KMUX_DEVICE bool name(half x, half y) { return x operation y; }
#define KMUX_HALF2_2(name, expression) \
  KMUX_DEVICE half2 name(half2 x, half2 y) { return expression; }
#define KMUX_HALF_FROM(type, name)                                             \
  KMUX_DEVICE half __##name##2half_rn(type x) { return static_cast<half>(x); } \
  KMUX_DEVICE type __half2##name##_rz(half x) { return static_cast<type>(x); } \
  KMUX_DEVICE type __half2##name##_rn(half x) { return static_cast<type>(__builtin_rintf(x)); }
// clang-format off
KMUX_HALF_FROM(int, int) KMUX_HALF_FROM(unsigned, uint) KMUX_HALF_FROM(short, short) KMUX_HALF_FROM(unsigned short, ushort)
KMUX_HALF_2(__hadd, x + y) KMUX_HALF_2(__hsub, x - y) KMUX_HALF_2(__hmul, x * y) KMUX_HALF_2(__hdiv, x / y)
KMUX_HALF_2(__hmax, __builtin_fmaxf16(x, y)) KMUX_HALF_2(__hmin, __builtin_fminf16(x, y))
KMUX_HALF_TEST(__heq, ==) KMUX_HALF_TEST(__hne, !=) KMUX_HALF_TEST(__hlt, <) KMUX_HALF_TEST(__hle, <=)
KMUX_HALF_TEST(__hgt, >) KMUX_HALF_TEST(__hge, >=)
KMUX_HALF_1(__hneg, -x) KMUX_HALF_1(__habs, __builtin_fabsf16(x)) KMUX_HALF_1(hsqrt, __builtin_sqrtf16(x))
KMUX_HALF_1(hfloor, __builtin_floorf16(x)) KMUX_HALF_1(hceil, __builtin_ceilf16(x))
KMUX_HALF_1(htrunc, __builtin_truncf16(x)) KMUX_HALF_1(hrint, __builtin_rintf16(x))
KMUX_HALF_1(hexp, __builtin_expf(x)) KMUX_HALF_1(hexp2, __builtin_exp2f(x)) KMUX_HALF_1(hlog, __builtin_logf(x))
KMUX_HALF_1(hlog2, __builtin_log2f(x)) KMUX_HALF_1(hlog10, __builtin_log10f(x)) KMUX_HALF_1(hrcp, 1.0f / x)
KMUX_HALF_1(hrsqrt, 1.0f / __builtin_sqrtf(x)) KMUX_HALF_1(hsin, sinf(x)) KMUX_HALF_1(hcos, cosf(x))
KMUX_HALF2_2(__hadd2, x + y) KMUX_HALF2_2(__hsub2, x - y) KMUX_HALF2_2(__hmul2, x * y) KMUX_HALF2_2(__h2div, x / y)
// clang-format on
#undef KMUX_HALF_1
#undef KMUX_HALF_2
#undef KMUX_HALF_TEST
#undef KMUX_HALF2_2
#undef KMUX_HALF_FROM
                                                    KMUX_DEVICE half __float2half(float x) {
  return static_cast<half>(x);
}
KMUX_DEVICE half __float2half_rn(float x) { return static_cast<half>(x); }
KMUX_DEVICE float __half2float(half x) { return x; }
KMUX_DEVICE half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(half, x); }
KMUX_DEVICE half __short_as_half(short x) { return __builtin_bit_cast(half, x); }
KMUX_DEVICE unsigned short __half_as_ushort(half x) { return __builtin_bit_cast(unsigned short, x); }
KMUX_DEVICE short __half_as_short(half x) { return __builtin_bit_cast(short, x); }
KMUX_DEVICE bool __hisnan(half x) { return x != x; }
KMUX_DEVICE int __hisinf(half x) { return __builtin_isinf_sign(static_cast<float>(x)); }
KMUX_DEVICE half __hfma(half x, half y, half z) { return __builtin_fmaf16(x, y, z); }
KMUX_DEVICE half2 __hfma2(half2 x, half2 y, half2 z) { return __builtin_elementwise_fma(x, y, z); }
KMUX_DEVICE half2 __hneg2(half2 x) { return -x; }
KMUX_DEVICE half2 __habs2(half2 x) { return __builtin_elementwise_abs(x); }
KMUX_DEVICE half2 __halves2half2(half x, half y) { return half2{x, y}; }
KMUX_DEVICE half2 __half2half2(half x) { return half2{x, x}; }
KMUX_DEVICE half2 make_half2(half x, half y) { return half2{x, y}; }
KMUX_DEVICE half2 __float2half2_rn(float x) { return __half2half2(__float2half(x)); }
KMUX_DEVICE half2 __floats2half2_rn(float x, float y) { return half2{__float2half(x), __float2half(y)}; }
KMUX_DEVICE half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
KMUX_DEVICE float2 __half22float2(half2 x) { return {static_cast<float>(x.x), static_cast<float>(x.y)}; }
KMUX_DEVICE half __low2half(half2 x) { return x.x; }
KMUX_DEVICE half __high2half(half2 x) { return x.y; }
KMUX_DEVICE float __low2float(half2 x) { return x.x; }
KMUX_DEVICE float __high2float(half2 x) { return x.y; }
KMUX_DEVICE half2 __lows2half2(half2 x, half2 y) { return half2{x.x, y.x}; }
KMUX_DEVICE half2 __highs2half2(half2 x, half2 y) { return half2{x.y, y.y}; }
KMUX_DEVICE half2 __lowhigh2highlow(half2 x) { return half2{x.y, x.x}; }

// What prints is a service of HIP's runtime that AMD's device library asks for: hiprtc has it. Beside the host's of <cstdio>;
// an error only where code for the device calls it.
template <class... Values>
__device__ __attribute__((error(
    "Clang with kmux's headers has no printf for AMD's devices. Remove it, or compile with option engine=hiprtc"))) int
printf(const char* format, Values... values);

// The device library asks which device it is compiled for.
#ifdef KMUX_ISA_VERSION
extern "C" {
extern const __constant__ unsigned __oclc_ISA_version;
const __constant__ unsigned __oclc_ISA_version = KMUX_ISA_VERSION;
}
#endif
