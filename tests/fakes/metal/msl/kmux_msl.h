// What MSL has built in, for C++17: included before a translated text. Kernels run as one fiber a thread; the host gives
// barriers and the slots that lanes of a SIMD-group exchange values in. Both sides include the first part.
#pragma once

#include <cstdint>
#include <cstring>

namespace kmux_msl {

struct Extents {
  unsigned x, y, z;
};

/// One thread of a kernel, as the host describes it.
struct Thread {
  void* const* buffers;
  void* const* threadgroup_memory;
  Extents groups;
  Extents group_size;
  Extents group;
  Extents position;  // in the group
};

struct Constant {
  const char* name;  // null: told by `index`
  unsigned long index;
  unsigned char bytes[8];
  bool is(unsigned long wanted, const char* wanted_name) const {
    return name == nullptr ? index == wanted : std::strcmp(name, wanted_name) == 0;
  }
  template <class T>
  void store(T* variable) const {
    std::memcpy(variable, bytes, sizeof *variable);
  }
};

/// What the host offers to kernels.
struct Host {
  void (*wait_for_group)();
  void (*wait_for_lanes)();
  unsigned (*lane)();
  std::uint64_t* (*lane_slots)();  // 32, of the calling thread's SIMD-group
};

constexpr unsigned kLanes = 32;

}  // namespace kmux_msl

#ifdef KMUX_MSL_KERNELS

extern "C" {
__attribute__((visibility("default"))) kmux_msl::Host kmux_msl_host;
}

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;

namespace kmux_msl {

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

// A thread's position and the like become what the parameter is: a number, or two or three of them.
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

inline Extents scaled(Extents a, Extents b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Extents sum(Extents a, Extents b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline unsigned count(Extents a) { return a.x * a.y * a.z; }
inline unsigned index(const Thread& t) {
  return (t.position.z * t.group_size.y + t.position.y) * t.group_size.x + t.position.x;
}

struct buffer {
  unsigned index;
  template <class P>
  P get(const Thread& t) const {
    return From<P>::memory(t.buffers[index]);
  }
};
struct threadgroup {
  unsigned index;
  template <class P>
  P get(const Thread& t) const {
    return From<P>::memory(t.threadgroup_memory[index]);
  }
};
#define KMUX_MSL_ATTRIBUTE(name, value) \
  struct name {                         \
    unsigned unused;                    \
    template <class P>                  \
    P get(const Thread& t) const {      \
      return As<P>::from(value);        \
    }                                   \
  };
KMUX_MSL_ATTRIBUTE(thread_position_in_grid, sum(scaled(t.group, t.group_size), t.position))
KMUX_MSL_ATTRIBUTE(thread_position_in_threadgroup, t.position)
KMUX_MSL_ATTRIBUTE(threadgroup_position_in_grid, t.group)
KMUX_MSL_ATTRIBUTE(threadgroups_per_grid, t.groups)
KMUX_MSL_ATTRIBUTE(threads_per_grid, scaled(t.groups, t.group_size))
KMUX_MSL_ATTRIBUTE(threads_per_threadgroup, t.group_size)
KMUX_MSL_ATTRIBUTE(thread_index_in_threadgroup, (Extents{index(t), 0, 0}))
KMUX_MSL_ATTRIBUTE(thread_index_in_simdgroup, (Extents{index(t) % kLanes, 0, 0}))
KMUX_MSL_ATTRIBUTE(simdgroup_index_in_threadgroup, (Extents{index(t) / kLanes, 0, 0}))
KMUX_MSL_ATTRIBUTE(simdgroups_per_threadgroup, (Extents{(count(t.group_size) + kLanes - 1) / kLanes, 0, 0}))
KMUX_MSL_ATTRIBUTE(threads_per_simdgroup, (Extents{kLanes, 0, 0}))
#undef KMUX_MSL_ATTRIBUTE

template <class... Parameters, class... Sources>
void call(void (*kernel)(Parameters...), const Thread& thread, Sources... sources) {
  kernel(sources.template get<Parameters>(thread)...);
}

}  // namespace kmux_msl

#define KMUX_MSL_VECTORS(type)               \
  using type##2 = kmux_msl::Vector<type, 2>; \
  using type##3 = kmux_msl::Vector<type, 3>; \
  using type##4 = kmux_msl::Vector<type, 4>;
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

#include <cmath>

#define device
#define thread

#endif
