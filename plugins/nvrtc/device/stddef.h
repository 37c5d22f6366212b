// <stddef.h> and <cstddef>: the compiler already provides size_t, ptrdiff_t and NULL.
#pragma once
#ifndef offsetof
#define offsetof(type, member) static_cast<size_t>(__INTADDR__(&(((type*)0)->member)))
#endif
typedef struct alignas(16) {
  long long kmux_integer;
  double kmux_number;
} max_align_t;

namespace std {
using ::max_align_t;
using ::ptrdiff_t;
using ::size_t;
typedef decltype(nullptr) nullptr_t;
enum class byte : unsigned char {};
template <class T>
constexpr T to_integer(byte value) noexcept {
  return static_cast<T>(value);
}
constexpr byte operator|(byte a, byte b) noexcept {
  return static_cast<byte>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr byte operator&(byte a, byte b) noexcept {
  return static_cast<byte>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr byte operator^(byte a, byte b) noexcept {
  return static_cast<byte>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));
}
constexpr byte operator~(byte a) noexcept { return static_cast<byte>(~static_cast<unsigned>(a) & 255u); }
}  // namespace std
