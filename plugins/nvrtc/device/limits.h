// std::numeric_limits.
#pragma once
#include <limits.h>
#include <type_traits>

namespace std {

enum float_round_style { round_indeterminate = -1, round_toward_zero = 0, round_to_nearest = 1 };
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent = 0, denorm_present = 1 };

template <class T, bool is_integer = is_integral<T>::value>
struct kmux_limits {
  static constexpr bool is_specialized = false;
};
template <class T>
struct kmux_limits<T, true> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr bool is_integer = true, is_exact = true, is_bounded = true;
  static constexpr bool is_modulo = !is_signed;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, has_signaling_NaN = false, is_iec559 = false;
  static constexpr float_round_style round_style = round_toward_zero;
  static constexpr int radix = 2;
  static constexpr int digits = is_same<T, bool>::value ? 1 : static_cast<int>(8 * sizeof(T)) - is_signed;
  static constexpr int digits10 = digits * 30103 / 100000;
  static constexpr int max_exponent = 0, min_exponent = 0;
  static constexpr T max() noexcept { return static_cast<T>(~0ull >> (64 - digits)); }
  static constexpr T min() noexcept { return is_signed ? static_cast<T>(-max() - 1) : static_cast<T>(0); }
  static constexpr T lowest() noexcept { return min(); }
  static constexpr T epsilon() noexcept { return static_cast<T>(0); }
  static constexpr T round_error() noexcept { return static_cast<T>(0); }
  static constexpr T infinity() noexcept { return static_cast<T>(0); }
  static constexpr T quiet_NaN() noexcept { return static_cast<T>(0); }
  static constexpr T signaling_NaN() noexcept { return static_cast<T>(0); }
  static constexpr T denorm_min() noexcept { return static_cast<T>(0); }
};

template <class T>
struct numeric_limits : kmux_limits<T> {};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};
template <class T>
struct numeric_limits<volatile T> : numeric_limits<T> {};

// NVRTC accepts a quotient by zero as a constant, and before version 13 no other infinite one.
#define KMUX_LIMITS(type, prefix)                                                                             \
  template <>                                                                                                 \
  struct numeric_limits<type> {                                                                               \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;      \
    static constexpr bool is_bounded = true, is_modulo = false, is_iec559 = true;                             \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;                \
    static constexpr float_round_style round_style = round_to_nearest;                                        \
    static constexpr float_denorm_style has_denorm = denorm_present;                                          \
    static constexpr int radix = 2, max_digits10 = prefix##_DECIMAL_DIG;                                      \
    static constexpr int digits = prefix##_MANT_DIG, digits10 = prefix##_DIG;                                 \
    static constexpr int max_exponent = prefix##_MAX_EXP, min_exponent = prefix##_MIN_EXP;                    \
    static constexpr int max_exponent10 = prefix##_MAX_10_EXP, min_exponent10 = prefix##_MIN_10_EXP;          \
    static constexpr type max() noexcept { return prefix##_MAX; }                                             \
    static constexpr type min() noexcept { return prefix##_MIN; }                                             \
    static constexpr type lowest() noexcept { return -prefix##_MAX; }                                         \
    static constexpr type epsilon() noexcept { return prefix##_EPSILON; }                                     \
    static constexpr type round_error() noexcept { return static_cast<type>(0.5); }                           \
    static constexpr type denorm_min() noexcept { return prefix##_TRUE_MIN; }                                 \
    static constexpr type infinity() noexcept { return static_cast<type>(1.0) / static_cast<type>(0.0); }     \
    static constexpr type quiet_NaN() noexcept { return -(static_cast<type>(0.0) / static_cast<type>(0.0)); } \
    static constexpr type signaling_NaN() noexcept { return quiet_NaN(); }                                    \
  };
KMUX_LIMITS(float, FLT)
KMUX_LIMITS(double, DBL)
#undef KMUX_LIMITS

}  // namespace std
