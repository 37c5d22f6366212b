// <math.h> and <cmath>: the constants, calls with integers or mixed number types, and the names in namespace std. The
// compiler has the functions whose arguments share one type.
#pragma once
#include <type_traits>

// NVRTC accepts a quotient by zero as a constant, and before version 13 no other infinite one.
#ifndef INFINITY
#define INFINITY (1.0f / 0.0f)
#endif
#ifndef NAN
#define NAN (-(0.0f / 0.0f))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (1.0 / 0.0)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
typedef float float_t;
typedef double double_t;

namespace kmux_math {
template <class T>
using integer = typename std::enable_if<std::is_integral<T>::value, double>::type;
template <class T>
using test = typename std::enable_if<std::is_integral<T>::value, bool>::type;
// The result type of a call with arguments of two types, for which no exact overload exists.
template <class A, class B>
using both = typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                         !(std::is_same<A, B>::value && std::is_floating_point<A>::value),
                                     double>::type;
}  // namespace kmux_math

#define KMUX_ONE(name)                     \
  template <class T>                       \
  inline kmux_math::integer<T> name(T x) { \
    return ::name(static_cast<double>(x)); \
  }                                        \
  namespace std {                          \
  using ::name;                            \
  }
#define KMUX_WHOLE(result, name)                                                       \
  template <class T>                                                                   \
  inline typename std::enable_if<std::is_integral<T>::value, result>::type name(T x) { \
    return ::name(static_cast<double>(x));                                             \
  }                                                                                    \
  namespace std {                                                                      \
  using ::name;                                                                        \
  }
#define KMUX_TWO(name)                                             \
  template <class A, class B>                                      \
  inline kmux_math::both<A, B> name(A a, B b) {                    \
    return ::name(static_cast<double>(a), static_cast<double>(b)); \
  }                                                                \
  namespace std {                                                  \
  using ::name;                                                    \
  }
KMUX_ONE(acos)
KMUX_ONE(acosh)
KMUX_ONE(asin)
KMUX_ONE(asinh)
KMUX_ONE(atan)
KMUX_ONE(atanh)
KMUX_ONE(cbrt)
KMUX_ONE(ceil)
KMUX_ONE(cos)
KMUX_ONE(cosh)
KMUX_ONE(erf)
KMUX_ONE(erfc)
KMUX_ONE(exp)
KMUX_ONE(exp2)
KMUX_ONE(expm1)
KMUX_ONE(fabs)
KMUX_ONE(floor)
KMUX_ONE(lgamma)
KMUX_ONE(log)
KMUX_ONE(log10)
KMUX_ONE(log1p)
KMUX_ONE(log2)
KMUX_ONE(logb)
KMUX_ONE(nearbyint)
KMUX_ONE(rint)
KMUX_ONE(round)
KMUX_ONE(sin)
KMUX_ONE(sinh)
KMUX_ONE(sqrt)
KMUX_ONE(tan)
KMUX_ONE(tanh)
KMUX_ONE(tgamma)
KMUX_ONE(trunc)
KMUX_WHOLE(int, ilogb)
KMUX_WHOLE(long long, llrint)
KMUX_WHOLE(long long, llround)
KMUX_WHOLE(long, lrint)
KMUX_WHOLE(long, lround)
KMUX_TWO(atan2)
KMUX_TWO(copysign)
KMUX_TWO(fdim)
KMUX_TWO(fmax)
KMUX_TWO(fmin)
KMUX_TWO(fmod)
KMUX_TWO(hypot)
KMUX_TWO(nextafter)
KMUX_TWO(pow)
KMUX_TWO(remainder)
#undef KMUX_ONE
#undef KMUX_WHOLE
#undef KMUX_TWO
template <class A, class B, class C>
inline typename std::enable_if<
    std::is_arithmetic<A>::value && std::is_arithmetic<B>::value && std::is_arithmetic<C>::value &&
        !(std::is_same<A, B>::value && std::is_same<A, C>::value && std::is_floating_point<A>::value),
    double>::type
fma(A a, B b, C c) {
  return ::fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
}
#define KMUX_TEST(name, answer)          \
  template <class T>                     \
  constexpr kmux_math::test<T> name(T) { \
    return answer;                       \
  }                                      \
  namespace std {                        \
  using ::name;                          \
  }
KMUX_TEST(isfinite, true)
KMUX_TEST(isinf, false)
KMUX_TEST(isnan, false)
#undef KMUX_TEST
inline bool isnormal(float x) { return fabsf(x) >= 1.17549435e-38f && isfinite(x); }
inline bool isnormal(double x) { return fabs(x) >= 2.2250738585072014e-308 && isfinite(x); }

namespace std {
using ::abs;
using ::fma;
using ::frexp;
using ::isnormal;
using ::ldexp;
using ::modf;
using ::nan;
using ::nanf;
using ::remquo;
using ::scalbln;
using ::scalbn;
using ::signbit;
// The float functions by their C names.
using ::acosf;
using ::asinf;
using ::atan2f;
using ::atanf;
using ::cbrtf;
using ::ceilf;
using ::copysignf;
using ::cosf;
using ::coshf;
using ::double_t;
using ::erff;
using ::exp2f;
using ::expf;
using ::expm1f;
using ::fabsf;
using ::float_t;
using ::floorf;
using ::fmaf;
using ::fmaxf;
using ::fminf;
using ::fmodf;
using ::hypotf;
using ::log10f;
using ::log1pf;
using ::log2f;
using ::logf;
using ::powf;
using ::rintf;
using ::roundf;
using ::sinf;
using ::sinhf;
using ::sqrtf;
using ::tanf;
using ::tanhf;
using ::truncf;
}  // namespace std
