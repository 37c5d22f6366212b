// Vectors of 1 to 4.
#pragma once

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

// Vectors of 4 with their alignment in the name (CUDA 13).
#define KMUX_ALIGNED(type, name, size)                                          \
  struct __attribute__((aligned(size))) name##4_##size##a { type x, y, z, w; }; \
  KMUX_DEVICE name##4_##size##a make_##name##4_##size##a(type x, type y, type z, type w) { return {x, y, z, w}; }
#define KMUX_ALIGNEDS(type, name) KMUX_ALIGNED(type, name, 16) KMUX_ALIGNED(type, name, 32)
KMUX_ALIGNEDS(long, long)
KMUX_ALIGNEDS(unsigned long, ulong)
KMUX_ALIGNEDS(long long, longlong)
KMUX_ALIGNEDS(unsigned long long, ulonglong)
KMUX_ALIGNEDS(double, double)
#undef KMUX_ALIGNEDS
#undef KMUX_ALIGNED
