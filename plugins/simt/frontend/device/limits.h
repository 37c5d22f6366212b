// std::numeric_limits, and the macros of <limits.h> and <float.h>.
#pragma once
#include <type_traits>

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (static_cast<char>(-1) < 0 ? SCHAR_MIN : 0)
#define CHAR_MAX (static_cast<char>(-1) < 0 ? SCHAR_MAX : UCHAR_MAX)
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-__INT_MAX__ - 1)
#define INT_MAX __INT_MAX__
#define UINT_MAX (__INT_MAX__ * 2u + 1)
#define LONG_MIN (-__LONG_MAX__ - 1l)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (__LONG_MAX__ * 2ul + 1)
#define LLONG_MIN (-__LONG_LONG_MAX__ - 1ll)
#define LLONG_MAX __LONG_LONG_MAX__
#define ULLONG_MAX (__LONG_LONG_MAX__ * 2ull + 1)
#define FLT_RADIX 2
#define FLT_MANT_DIG __FLT_MANT_DIG__
#define FLT_DIG __FLT_DIG__
#define FLT_EPSILON __FLT_EPSILON__
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_TRUE_MIN __FLT_DENORM_MIN__
#define FLT_MAX_EXP __FLT_MAX_EXP__
#define FLT_MIN_EXP __FLT_MIN_EXP__
#define DBL_MANT_DIG __DBL_MANT_DIG__
#define DBL_DIG __DBL_DIG__
#define DBL_EPSILON __DBL_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_TRUE_MIN __DBL_DENORM_MIN__
#define DBL_MAX_EXP __DBL_MAX_EXP__
#define DBL_MIN_EXP __DBL_MIN_EXP__

#ifdef KMUX_CUDA_ARCH  // CUTLASS declares the limits of its numbers there where NVRTC compiles it
namespace cutlass {
namespace platform {
template <class T>
struct numeric_limits;
}
}  // namespace cutlass
#endif

namespace std {

enum float_round_style {
  round_indeterminate = -1,
  round_toward_zero = 0,
  round_to_nearest = 1,
  round_toward_infinity = 2,
  round_toward_neg_infinity = 3
};
enum float_denorm_style { denorm_indeterminate = -1, denorm_absent = 0, denorm_present = 1 };

template <class T, class = void>
struct kmux_other_limits {
  static constexpr bool is_specialized = false;
};
#ifdef KMUX_CUDA_ARCH
template <class T>
struct kmux_other_limits<T, void_t<decltype(sizeof(cutlass::platform::numeric_limits<T>))>>
    : cutlass::platform::numeric_limits<T> {};
#endif

template <class T, bool is_integer = __is_integral(T)>
struct kmux_limits : kmux_other_limits<T> {};
template <class T>
struct kmux_limits<T, true> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr bool is_integer = true, is_exact = true, is_bounded = true;
  static constexpr bool is_modulo = !is_signed;
  static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false;
  static constexpr int radix = 2;
  static constexpr int digits = __is_same(T, bool) ? 1 : 8 * sizeof(T) - is_signed;
  static constexpr int digits10 = digits * 30103 / 100000;
  static constexpr T max() noexcept { return __is_same(T, bool) ? T(true) : static_cast<T>(~0ull >> (64 - digits)); }
  static constexpr T min() noexcept { return is_signed ? static_cast<T>(-max() - 1) : T(0); }
  static constexpr T lowest() noexcept { return min(); }
  static constexpr T epsilon() noexcept { return 0; }
  static constexpr T infinity() noexcept { return 0; }
  static constexpr T quiet_NaN() noexcept { return 0; }
  static constexpr T denorm_min() noexcept { return 0; }
};

template <class T>
struct numeric_limits : kmux_limits<T> {};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};

#define KMUX_LIMITS(type, prefix, suffix)                                                                \
  template <>                                                                                            \
  struct numeric_limits<type> {                                                                          \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false; \
    static constexpr bool is_bounded = true, is_modulo = false, is_iec559 = true;                        \
    static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;           \
    static constexpr float_round_style round_style = round_to_nearest;                                   \
    static constexpr float_denorm_style has_denorm = denorm_present;                                     \
    static constexpr int radix = 2;                                                                      \
    static constexpr int digits = __##prefix##_MANT_DIG__, digits10 = __##prefix##_DIG__;                \
    static constexpr int max_exponent = __##prefix##_MAX_EXP__, min_exponent = __##prefix##_MIN_EXP__;   \
    static constexpr type max() noexcept { return __##prefix##_MAX__; }                                  \
    static constexpr type min() noexcept { return __##prefix##_MIN__; }                                  \
    static constexpr type lowest() noexcept { return -__##prefix##_MAX__; }                              \
    static constexpr type epsilon() noexcept { return __##prefix##_EPSILON__; }                          \
    static constexpr type round_error() noexcept { return 0.5f; }                                        \
    static constexpr type denorm_min() noexcept { return __##prefix##_DENORM_MIN__; }                    \
    static constexpr type infinity() noexcept { return __builtin_huge_val##suffix(); }                   \
    static constexpr type quiet_NaN() noexcept { return __builtin_nan##suffix(""); }                     \
    static constexpr type signaling_NaN() noexcept { return __builtin_nans##suffix(""); }                \
  };
KMUX_LIMITS(float, FLT, f)
KMUX_LIMITS(double, DBL, )
#undef KMUX_LIMITS

}  // namespace std
