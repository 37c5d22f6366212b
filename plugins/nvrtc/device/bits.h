// The subset of <bit> for device code.
#pragma once
#include <type_traits>

namespace std {

#if __CUDACC_VER_MAJOR__ >= 13
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#else  // older versions lack this builtin: not valid in constant expressions
template <class To, class From>
inline To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From), "both have one size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
#endif
template <class T>
constexpr int popcount(T x) noexcept {
  int count = 0;
  for (; x != 0; x = static_cast<T>(x & (x - 1))) ++count;
  return count;
}
template <class T>
constexpr int bit_width(T x) noexcept {
  int width = 0;
  for (; x != 0; x = static_cast<T>(x >> 1)) ++width;
  return width;
}
template <class T>
constexpr int countl_zero(T x) noexcept {
  return static_cast<int>(8 * sizeof(T)) - std::bit_width(x);
}
template <class T>
constexpr int countr_zero(T x) noexcept {
  return x == 0 ? static_cast<int>(8 * sizeof(T)) : std::bit_width(static_cast<T>(x & (~x + 1))) - 1;
}
template <class T>
constexpr bool has_single_bit(T x) noexcept {
  return x != 0 && (x & (x - 1)) == 0;
}
template <class T>
constexpr T bit_floor(T x) noexcept {
  return x == 0 ? T(0) : static_cast<T>(T(1) << (std::bit_width(x) - 1));
}
template <class T>
constexpr T bit_ceil(T x) noexcept {
  return x <= 1 ? T(1) : static_cast<T>(T(1) << std::bit_width(static_cast<T>(x - 1)));
}
template <class T>
constexpr T rotl(T x, int count) noexcept {
  constexpr int bits = static_cast<int>(8 * sizeof(T));
  const int by = ((count % bits) + bits) % bits;
  return by == 0 ? x : static_cast<T>((x << by) | (x >> (bits - by)));
}
template <class T>
constexpr T rotr(T x, int count) noexcept {
  return std::rotl(x, -(count % static_cast<int>(8 * sizeof(T))));
}

}  // namespace std
