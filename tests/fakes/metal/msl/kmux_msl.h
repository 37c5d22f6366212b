// The built-ins of MSL, over the GPU features of the backend for CPUs. Precedes a translated text, after
// kernels/blocks.h. Not part of the library: its text is embedded.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

typedef _Float16 half;

namespace kmux_msl {

constexpr unsigned kLanes = 32;

/// The value of a function constant.
struct Constant {
  const char* name;  // null: identified by `index`
  unsigned long index;
  unsigned char bytes[8];
  constexpr bool is(unsigned long wanted, const char* wanted_name) const {
    if (name == nullptr) return index == wanted;
    return __builtin_strcmp(name, wanted_name) == 0;
  }
};

}  // namespace kmux_msl

#include <kmux_msl_constants.h>

namespace kmux_msl {

/// Returns the value of a constant, or zeros.
template <class T>
constexpr T constant(unsigned long index, const char* name) {
  struct Bytes {
    unsigned char at[sizeof(T)];
  } bytes{};
  for (const Constant& known : constants) {
    if (!known.is(index, name)) continue;
    for (unsigned i = 0; i < sizeof(T); ++i) bytes.at[i] = known.bytes[i];
  }
  return __builtin_bit_cast(T, bytes);
}

struct Extents {
  unsigned x, y, z;
};

template <class T, int N>
struct Vector;

template <class T>
struct alignas(2 * sizeof(T)) Vector<T, 2> {
  T x, y;
  Vector() = default;
  Vector(T all) : x(all), y(all) {}
  Vector(T x_, T y_) : x(x_), y(y_) {}
  T& operator[](int i) { return (&x)[i]; }
  const T& operator[](int i) const { return (&x)[i]; }
};

template <class T>
struct alignas(4 * sizeof(T)) Vector<T, 3> {
  T x, y, z;
  Vector() = default;
  Vector(T all) : x(all), y(all), z(all) {}
  Vector(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  T& operator[](int i) { return (&x)[i]; }
  const T& operator[](int i) const { return (&x)[i]; }
};

template <class T>
struct alignas(4 * sizeof(T)) Vector<T, 4> {
  T x, y, z, w;
  Vector() = default;
  Vector(T all) : x(all), y(all), z(all), w(all) {}
  Vector(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
  T& operator[](int i) { return (&x)[i]; }
  const T& operator[](int i) const { return (&x)[i]; }
};

#define KMUX_MSL_OPERATOR(op)                                \
  template <class T, int N>                                  \
  Vector<T, N> operator op(Vector<T, N> a, Vector<T, N> b) { \
    for (int i = 0; i < N; ++i) a[i] = a[i] op b[i];         \
    return a;                                                \
  }                                                          \
  template <class T, int N, class S>                         \
  Vector<T, N> operator op(Vector<T, N> a, S b) {            \
    return a op Vector<T, N>(T(b));                          \
  }                                                          \
  template <class T, int N, class S>                         \
  Vector<T, N> operator op(S a, Vector<T, N> b) {            \
    return Vector<T, N>(T(a)) op b;                          \
  }                                                          \
  template <class T, int N, class S>                         \
  Vector<T, N>& operator op##=(Vector<T, N>& a, S b) {       \
    return a = a op b;                                       \
  }
KMUX_MSL_OPERATOR(+)
KMUX_MSL_OPERATOR(-)
KMUX_MSL_OPERATOR(*)
KMUX_MSL_OPERATOR(/)
#undef KMUX_MSL_OPERATOR

// Converts a thread's position and similar values to the type of the parameter: one number, or two or three.
template <class T>
struct As {
  static T from(Extents e) { return T(e.x); }
};
template <class T>
struct As<Vector<T, 2>> {
  static Vector<T, 2> from(Extents e) { return {T(e.x), T(e.y)}; }
};
template <class T>
struct As<Vector<T, 3>> {
  static Vector<T, 3> from(Extents e) { return {T(e.x), T(e.y), T(e.z)}; }
};

template <class T>
struct From {
  static T memory(void* address) { return static_cast<T>(address); }
};
template <class T>
struct From<T&> {
  static T& memory(void* address) { return *static_cast<T*>(address); }
};

inline Extents position() { return {kmux_thread_x(), kmux_thread_y(), kmux_thread_z()}; }
inline Extents group() { return {kmux_block_x(), kmux_block_y(), kmux_block_z()}; }
inline Extents group_size() { return {kmux_block_dim_x(), kmux_block_dim_y(), kmux_block_dim_z()}; }
inline Extents groups() { return {kmux_grid_dim_x(), kmux_grid_dim_y(), kmux_grid_dim_z()}; }
inline Extents scaled(Extents a, Extents b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Extents sum(Extents a, Extents b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline unsigned count(Extents a) { return a.x * a.y * a.z; }

// The origin of an argument. Threadgroup memory is numbered after the buffers.
constexpr unsigned kMaxBuffers = 31;
struct buffer {
  unsigned index;
  template <class P>
  P get(const kmux_launch* launch) const {
    return From<P>::memory(launch->arguments[index]);
  }
};
struct threadgroup {
  unsigned index;
  template <class P>
  P get(const kmux_launch* launch) const {
    return From<P>::memory(kmux_dynamic + reinterpret_cast<unsigned long>(launch->arguments[kMaxBuffers + index]));
  }
};
#define KMUX_MSL_ATTRIBUTE(name, value) \
  struct name {                         \
    unsigned unused;                    \
    template <class P>                  \
    P get(const kmux_launch*) const {   \
      return As<P>::from(value);        \
    }                                   \
  };
KMUX_MSL_ATTRIBUTE(thread_position_in_grid, sum(scaled(group(), group_size()), position()))
KMUX_MSL_ATTRIBUTE(thread_position_in_threadgroup, position())
KMUX_MSL_ATTRIBUTE(threadgroup_position_in_grid, group())
KMUX_MSL_ATTRIBUTE(threadgroups_per_grid, groups())
KMUX_MSL_ATTRIBUTE(threads_per_grid, scaled(groups(), group_size()))
KMUX_MSL_ATTRIBUTE(threads_per_threadgroup, group_size())
KMUX_MSL_ATTRIBUTE(thread_index_in_threadgroup, (Extents{kmux_index_in_block(), 0, 0}))
KMUX_MSL_ATTRIBUTE(thread_index_in_simdgroup, (Extents{kmux_lane(), 0, 0}))
KMUX_MSL_ATTRIBUTE(simdgroup_index_in_threadgroup, (Extents{kmux_index_in_block() / kLanes, 0, 0}))
KMUX_MSL_ATTRIBUTE(simdgroups_per_threadgroup, (Extents{(count(group_size()) + kLanes - 1) / kLanes, 0, 0}))
KMUX_MSL_ATTRIBUTE(threads_per_simdgroup, (Extents{kLanes, 0, 0}))
#undef KMUX_MSL_ATTRIBUTE

// Counts the shared memory of a group before the first launch, in steps of 16 bytes.
template <class Kernel>
struct SharedBy {
  static inline unsigned long kmux_bytes = 0;
};
template <class Kernel, int number, unsigned long bytes>
struct Note {
  static inline const int kmux_at = (SharedBy<Kernel>::kmux_bytes += (bytes + 15) / 16 * 16, 0);
};
#define KMUX_MSL_NAME(kernel) kmux_shared_by_##kernel
#define KMUX_MSL_SHARED(kernel, name) (void)&kmux_msl::Note<KMUX_MSL_NAME(kernel), __COUNTER__, sizeof(name)>::kmux_at
#define KMUX_MSL_SHARED_BY(kernel) kmux_msl::SharedBy<KMUX_MSL_NAME(kernel)>::kmux_bytes
#define KMUX_MSL_SIZES(...)                                                                  \
  extern "C" __global__ void fake_static_bytes(kmux_launch* launch) {                        \
    [[maybe_unused]] unsigned long* out = static_cast<unsigned long*>(launch->arguments[0]); \
    __VA_ARGS__                                                                              \
  }

template <auto kernel>
struct Call;
template <class... Parameters, void (*kernel)(Parameters...)>
struct Call<kernel> {
  template <class... Sources>
  static void run([[maybe_unused]] const kmux_launch* launch, Sources... sources) {
    kernel(sources.template get<Parameters>(launch)...);
  }
};

}  // namespace kmux_msl

// CUDA's vectors have the same names.
#define KMUX_MSL_VECTORS(type)                     \
  using msl_##type##2 = kmux_msl::Vector<type, 2>; \
  using msl_##type##3 = kmux_msl::Vector<type, 3>; \
  using msl_##type##4 = kmux_msl::Vector<type, 4>;
KMUX_MSL_VECTORS(char)
KMUX_MSL_VECTORS(uchar)
KMUX_MSL_VECTORS(short)
KMUX_MSL_VECTORS(ushort)
KMUX_MSL_VECTORS(int)
KMUX_MSL_VECTORS(uint)
KMUX_MSL_VECTORS(long)
KMUX_MSL_VECTORS(ulong)
KMUX_MSL_VECTORS(half)
KMUX_MSL_VECTORS(float)
KMUX_MSL_VECTORS(bool)
#undef KMUX_MSL_VECTORS
#define char2 msl_char2
#define char3 msl_char3
#define char4 msl_char4
#define uchar2 msl_uchar2
#define uchar3 msl_uchar3
#define uchar4 msl_uchar4
#define short2 msl_short2
#define short3 msl_short3
#define short4 msl_short4
#define ushort2 msl_ushort2
#define ushort3 msl_ushort3
#define ushort4 msl_ushort4
#define int2 msl_int2
#define int3 msl_int3
#define int4 msl_int4
#define uint2 msl_uint2
#define uint3 msl_uint3
#define uint4 msl_uint4
#define long2 msl_long2
#define long3 msl_long3
#define long4 msl_long4
#define ulong2 msl_ulong2
#define ulong3 msl_ulong3
#define ulong4 msl_ulong4
#define half2 msl_half2
#define half3 msl_half3
#define half4 msl_half4
#define float2 msl_float2
#define float3 msl_float3
#define float4 msl_float4
#define bool2 msl_bool2
#define bool3 msl_bool3
#define bool4 msl_bool4

#undef blockDim
#undef blockIdx
#undef gridDim
#undef threadIdx
#undef warpSize
#define device
#define thread
