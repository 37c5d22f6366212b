// Words of two 16-bit or four 8-bit integers (CUDA Math API, SIMD intrinsics), and maxima and minima of sums (DPX).
#pragma once

// Applies f to each pair of integers at the same position in a and b; E is their type.
template <class E, class F>
KMUX_DEVICE unsigned kmux_each(unsigned a, unsigned b, F f) {
  constexpr unsigned kBits = 8 * sizeof(E), kMask = (1u << kBits) - 1;
  unsigned result = 0;
#pragma clang loop unroll(full)
  for (unsigned shift = 0; shift < 32; shift += kBits) {
    const int value = f(static_cast<E>(a >> shift), static_cast<E>(b >> shift));
    result |= (static_cast<unsigned>(value) & kMask) << shift;
  }
  return result;
}
// Returns `value`, clamped to the range of E.
template <class E>
KMUX_DEVICE int kmux_saturated(int value) {
  constexpr bool kSigned = static_cast<E>(-1) < static_cast<E>(0);
  constexpr int kMost = (1 << (8 * sizeof(E) - kSigned)) - 1, kLeast = kSigned ? -kMost - 1 : 0;
  return value < kLeast ? kLeast : value > kMost ? kMost : value;
}
KMUX_DEVICE int kmux_distance(int a, int b) { return a < b ? b - a : a - b; }

#define KMUX_PACKED(name, two, four, value)                                    \
  KMUX_DEVICE unsigned name##2(unsigned a, unsigned b) {                       \
    return kmux_each<two>(a, b, [](two x, two y) -> int { return value; });    \
  }                                                                            \
  KMUX_DEVICE unsigned name##4(unsigned a, unsigned b) {                       \
    return kmux_each<four>(a, b, [](four x, four y) -> int { return value; }); \
  }
#define KMUX_SIGNED(name, value) KMUX_PACKED(name, short, signed char, value)
#define KMUX_UNSIGNED(name, value) KMUX_PACKED(name, unsigned short, unsigned char, value)
KMUX_UNSIGNED(__vadd, x + y)
KMUX_SIGNED(__vaddss, kmux_saturated<decltype(x)>(x + y))
KMUX_UNSIGNED(__vaddus, kmux_saturated<decltype(x)>(x + y))
KMUX_UNSIGNED(__vsub, x - y)
KMUX_SIGNED(__vsubss, kmux_saturated<decltype(x)>(x - y))
KMUX_UNSIGNED(__vsubus, kmux_saturated<decltype(x)>(x - y))
KMUX_SIGNED(__vabsdiffs, kmux_distance(x, y))
KMUX_UNSIGNED(__vabsdiffu, kmux_distance(x, y))
KMUX_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)  // a half away from zero (PTX, vavrg)
KMUX_UNSIGNED(__vavgu, (x + y + 1) >> 1)
KMUX_UNSIGNED(__vhaddu, (x + y) >> 1)
KMUX_SIGNED(__vmaxs, x < y ? y : x)
KMUX_UNSIGNED(__vmaxu, x < y ? y : x)
KMUX_SIGNED(__vmins, y < x ? y : x)
KMUX_UNSIGNED(__vminu, y < x ? y : x)
// All bits, or 1, of each element whose comparison holds.
#define KMUX_COMPARED(which, suffix, operation) \
  which(__vcmp##suffix, x operation y ? -1 : 0) which(__vset##suffix, x operation y ? 1 : 0)
KMUX_COMPARED(KMUX_UNSIGNED, eq, ==)
KMUX_COMPARED(KMUX_UNSIGNED, ne, !=)
KMUX_COMPARED(KMUX_SIGNED, ges, >=)
KMUX_COMPARED(KMUX_SIGNED, gts, >)
KMUX_COMPARED(KMUX_SIGNED, les, <=)
KMUX_COMPARED(KMUX_SIGNED, lts, <)
KMUX_COMPARED(KMUX_UNSIGNED, geu, >=)
KMUX_COMPARED(KMUX_UNSIGNED, gtu, >)
KMUX_COMPARED(KMUX_UNSIGNED, leu, <=)
KMUX_COMPARED(KMUX_UNSIGNED, ltu, <)
#undef KMUX_COMPARED
#undef KMUX_SIGNED
#undef KMUX_UNSIGNED
#undef KMUX_PACKED

#define KMUX_OF_ONE(name, value)                                                                  \
  KMUX_DEVICE unsigned name##2(unsigned a) {                                                      \
    return kmux_each<short>(a, 0, [](short x, short) -> int { return value; });                   \
  }                                                                                               \
  KMUX_DEVICE unsigned name##4(unsigned a) {                                                      \
    return kmux_each<signed char>(a, 0, [](signed char x, signed char) -> int { return value; }); \
  }
KMUX_OF_ONE(__vabs, x < 0 ? -x : x)
KMUX_OF_ONE(__vabsss, kmux_saturated<decltype(x)>(x < 0 ? -x : x))
KMUX_OF_ONE(__vneg, -x)
KMUX_OF_ONE(__vnegss, kmux_saturated<decltype(x)>(-x))
#undef KMUX_OF_ONE

// Sums of absolute differences.
template <class E>
KMUX_DEVICE unsigned kmux_distances(unsigned a, unsigned b) {
  unsigned sum = 0;
#pragma clang loop unroll(full)
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(E)) {
    sum += static_cast<unsigned>(kmux_distance(static_cast<E>(a >> shift), static_cast<E>(b >> shift)));
  }
  return sum;
}
KMUX_DEVICE unsigned __vsads2(unsigned a, unsigned b) { return kmux_distances<short>(a, b); }
KMUX_DEVICE unsigned __vsadu2(unsigned a, unsigned b) { return kmux_distances<unsigned short>(a, b); }
KMUX_DEVICE unsigned __vsads4(unsigned a, unsigned b) { return kmux_distances<signed char>(a, b); }
KMUX_DEVICE unsigned __vsadu4(unsigned a, unsigned b) { return kmux_distances<unsigned char>(a, b); }

// DPX: on one word or two halves. A sum wraps, and `relu` is the maximum of the result and zero.
#define KMUX_EXTREME(suffix, T, max, min, add)                                   \
  KMUX_DEVICE T __viaddmax_##suffix(T a, T b, T c) { return max(add(a, b), c); } \
  KMUX_DEVICE T __viaddmin_##suffix(T a, T b, T c) { return min(add(a, b), c); } \
  KMUX_DEVICE T __vimax3_##suffix(T a, T b, T c) { return max(max(a, b), c); }   \
  KMUX_DEVICE T __vimin3_##suffix(T a, T b, T c) { return min(min(a, b), c); }
#define KMUX_POSITIVE(suffix, T, max, min, add)                                                    \
  KMUX_EXTREME(suffix, T, max, min, add)                                                           \
  KMUX_DEVICE T __viaddmax_##suffix##_relu(T a, T b, T c) { return max(max(add(a, b), c), T(0)); } \
  KMUX_DEVICE T __viaddmin_##suffix##_relu(T a, T b, T c) { return max(min(add(a, b), c), T(0)); } \
  KMUX_DEVICE T __vimax3_##suffix##_relu(T a, T b, T c) { return max(max(max(a, b), c), T(0)); }   \
  KMUX_DEVICE T __vimin3_##suffix##_relu(T a, T b, T c) { return max(min(min(a, b), c), T(0)); }   \
  KMUX_DEVICE T __vimax_##suffix##_relu(T a, T b) { return max(max(a, b), T(0)); }                 \
  KMUX_DEVICE T __vimin_##suffix##_relu(T a, T b) { return max(min(a, b), T(0)); }
template <class T>
KMUX_DEVICE T kmux_larger(T a, T b) {
  return a < b ? b : a;
}
template <class T>
KMUX_DEVICE T kmux_lesser(T a, T b) {
  return b < a ? b : a;
}
template <class T>
KMUX_DEVICE T kmux_wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
KMUX_POSITIVE(s32, int, kmux_larger, kmux_lesser, kmux_wrapped_sum)
KMUX_EXTREME(u32, unsigned, kmux_larger, kmux_lesser, kmux_wrapped_sum)
KMUX_POSITIVE(s16x2, unsigned, __vmaxs2, __vmins2, __vadd2)
KMUX_EXTREME(u16x2, unsigned, __vmaxu2, __vminu2, __vadd2)
#undef KMUX_EXTREME
#undef KMUX_POSITIVE
// The same with the choice: whether a is at least as large, or as small.
#define KMUX_WHICH(suffix, T)                                                                           \
  KMUX_DEVICE T __vibmax_##suffix(T a, T b, bool* first) { return *first = a >= b, kmux_larger(a, b); } \
  KMUX_DEVICE T __vibmin_##suffix(T a, T b, bool* first) { return *first = a <= b, kmux_lesser(a, b); }
KMUX_WHICH(s32, int)
KMUX_WHICH(u32, unsigned)
#undef KMUX_WHICH
#define KMUX_WHICH(suffix, E, max, min)                                                                        \
  KMUX_DEVICE unsigned __vibmax_##suffix(unsigned a, unsigned b, bool* high, bool* low) {                      \
    *high = static_cast<E>(a >> 16) >= static_cast<E>(b >> 16), *low = static_cast<E>(a) >= static_cast<E>(b); \
    return max(a, b);                                                                                          \
  }                                                                                                            \
  KMUX_DEVICE unsigned __vibmin_##suffix(unsigned a, unsigned b, bool* high, bool* low) {                      \
    *high = static_cast<E>(a >> 16) <= static_cast<E>(b >> 16), *low = static_cast<E>(a) <= static_cast<E>(b); \
    return min(a, b);                                                                                          \
  }
KMUX_WHICH(s16x2, short, __vmaxs2, __vmins2)
KMUX_WHICH(u16x2, unsigned short, __vmaxu2, __vminu2)
#undef KMUX_WHICH
