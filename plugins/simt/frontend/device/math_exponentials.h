// Exponential and hyperbolic functions: a power of two by its bits, times a polynomial for the remainder.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

template <class T>
struct kmux_ln2;  // in two parts, the first of which has exact products with an exponent
template <>
struct kmux_ln2<float> {
  static constexpr float high = 0x1.63p-1f, low = -0x1.bd0106p-13f, inverse = 0x1.715476p0f;
};
template <>
struct kmux_ln2<double> {
  static constexpr double high = 0x1.62e42ffp-1, low = -0x1.718432a1b0e26p-35, inverse = 0x1.71547652b82fep0;
};
// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
KMUX_DEVICE float kmux_exp_tail(float r) {
  return KMUX_POLY5(r, 0x1.fffffap-2f, 0x1.55549p-3f, 0x1.555a22p-5f, 0x1.123b04p-7f, 0x1.695414p-10f);
}
KMUX_DEVICE double kmux_exp_tail(double r) {
  return KMUX_POLY10(r, 0x1.000000000000ap-1, 0x1.55555555554f9p-3, 0x1.5555555550629p-5, 0x1.1111111127d09p-7,
                     0x1.6c16c184a9d23p-10, 0x1.a01a012aa8e77p-13, 0x1.a01998b27e796p-16, 0x1.71df22fd74365p-19,
                     0x1.28aeb476caa8dp-22, 0x1.ad85bb7fcf4dap-26);
}

// e^x = 2^n (1 + the result).
template <class T>
KMUX_DEVICE T kmux_exp_part(T x, kmux_whole<T>& n) {
  const T whole = kmux_nearest(x * kmux_ln2<T>::inverse, n);
  const T r = kmux_fma(whole, -kmux_ln2<T>::low, kmux_fma(whole, -kmux_ln2<T>::high, x));
  return kmux_fma(r * r, kmux_exp_tail(r), r);
}
template <class T>
KMUX_DEVICE T kmux_exp(T x, T least, T most) {
  x = kmux_clamp(x, least, most);
  const kmux_power<T> power = kmux_nearest_power(x, kmux_ln2<T>::inverse);
  const T r = kmux_fma(power.whole, -kmux_ln2<T>::low, kmux_fma(power.whole, -kmux_ln2<T>::high, x));
  return kmux_times(kmux_fma(kmux_fma(kmux_exp_tail(r), r, T(1)), r, T(1)), power);
}
KMUX_DEVICE float expf(float x) { return kmux_exp(x, -104.0f, 89.0f); }
KMUX_DEVICE double exp(double x) { return kmux_exp(x, -746.0, 710.0); }

KMUX_DEVICE float exp2f(float x) {
  x = kmux_clamp(x, -151.0f, 129.0f);
  const kmux_power<float> power = kmux_nearest_power(x, 1.0f);
  const float r = x - power.whole;
  const float part = kmux_fma(
      r, KMUX_POLY6(r, 0x1.62e43p-1f, 0x1.ebfbd8p-3f, 0x1.c6af72p-5f, 0x1.3b309p-7f, 0x1.5f0e12p-10f, 0x1.3fb5f2p-13f),
      1.0f);
  return kmux_times(part, power);
}
KMUX_DEVICE double exp2(double x) {
  x = kmux_clamp(x, -1076.0, 1025.0);
  const kmux_power<double> power = kmux_nearest_power(x, 1.0);
  const double r = x - power.whole;
  const double tail = kmux_fma(
      r, 0x1.abc9e3b39803fp-56,
      r * r *
          (KMUX_POLY10(r, 0x1.ebfbdff82c5a1p-3, 0x1.c6b08d704a04p-5, 0x1.3b2ab6fba0739p-7, 0x1.5d87fe78c4accp-10,
                       0x1.4309130de5bdp-13, 0x1.ffcbfbc2333c2p-17, 0x1.62bfc988e37a7p-20, 0x1.b5265d2e85a65p-24,
                       0x1.e618962c12b48p-28, 0x1.e7b9a973e7732p-32)));
  return kmux_times(1.0 + kmux_fma(r, 0x1.62e42fefa39efp-1, tail), power);
}
KMUX_DEVICE float exp10f(float x) {
  x = kmux_clamp(x, -46.0f, 39.0f);
  const kmux_power<float> power = kmux_nearest_power(x, 0x1.a934fp1f);
  const float r = kmux_fma(power.whole, -0x1.04d428p-12f, kmux_fma(power.whole, -0x1.34p-2f, x));
  const float part = kmux_fma(
      r, KMUX_POLY6(r, 0x1.26bb1cp1f, 0x1.535248p1f, 0x1.046f98p1f, 0x1.2bdbdp0f, 0x1.156d96p-1f, 0x1.a4aac2p-3f),
      1.0f);
  return kmux_times(part, power);
}
KMUX_DEVICE double exp10(double x) {
  x = kmux_clamp(x, -325.0, 309.0);
  const kmux_power<double> power = kmux_nearest_power(x, 0x1.a934f0979a371p1);
  const double r = kmux_fma(power.whole, 0x1.0c0219dc1da99p-39, kmux_fma(power.whole, -0x1.3441350ap-2, x));
  const double tail =
      kmux_fma(r, -0x1.f48ad494ea3e9p-53,
               r * r *
                   (KMUX_POLY10(r, 0x1.53524c73cea76p1, 0x1.0470591de2c5fp1, 0x1.2bd7609fd5287p0, 0x1.1429ffd1eb7ep-1,
                                0x1.a7ed70a147dd5p-3, 0x1.16e4df75cb28fp-4, 0x1.41165f19802edp-6, 0x1.48988f08290b6p-8,
                                0x1.2f73dab43549p-10, 0x1.f9d28ce9b58b4p-13)));
  return kmux_times(1.0 + kmux_fma(r, 0x1.26bb1bbb55516p1, tail), power);
}
template <class T>
KMUX_DEVICE T kmux_expm1(T x, T least, T most, T tiny) {
  kmux_whole<T> n;
  const T y = kmux_clamp(x, least, most);
  const T whole = kmux_nearest(y * kmux_ln2<T>::inverse, n);
  const T high = kmux_fma(whole, -kmux_ln2<T>::high, y);
  const T r = kmux_fma(whole, -kmux_ln2<T>::low, high);
  const T rest = kmux_fma(whole, -kmux_ln2<T>::low, high - r);
  const T part = r + kmux_fma(r * r, kmux_exp_tail(r), rest);
  const T half = kmux_two_to<T>(n - 1);
  const T result = T(2) * kmux_fma(half, part, half - T(0.5));
  return kmux_choose(kmux_abs(x) < tiny, x, result);
}
KMUX_DEVICE float expm1f(float x) { return kmux_expm1(x, -18.0f, 89.0f, 0x1p-26f); }
KMUX_DEVICE double expm1(double x) { return kmux_expm1(x, -38.0, 710.0, 0x1p-55); }

// (sinh(a) - a) / a and (tanh(a) - a) / a by z = a^2.
KMUX_DEVICE float kmux_sinh_tail(float z) {
  return z * (KMUX_POLY4(z, 0x1.555556p-3f, 0x1.1110eep-7f, 0x1.a01926p-13f, 0x1.76fd7ap-19f));
}
KMUX_DEVICE double kmux_sinh_tail(double z) {
  return z * (KMUX_POLY8(z, 0x1.5555555555555p-3, 0x1.1111111111179p-7, 0x1.a01a01a00e62ap-13, 0x1.71de3a5fbcedep-19,
                         0x1.ae644c6c817dp-26, 0x1.6129e4b49b1b5p-33, 0x1.ab51e04a0e9dap-41, 0x1.2b69e067f621ap-48));
}
KMUX_DEVICE float kmux_tanh_tail(float z) {
  return z * (KMUX_POLY6(z, -0x1.555554p-2f, 0x1.111086p-3f, -0x1.b9f574p-5f, 0x1.63dd48p-6f, -0x1.0da96cp-7f,
                         0x1.1f91ap-9f));
}
KMUX_DEVICE double kmux_tanh_tail(double z) {
  return z *
         (KMUX_POLY12(z, -0x1.5555555555553p-2, 0x1.1111111110dddp-3, -0x1.ba1ba1b9e95ebp-5, 0x1.664f48763e966p-6,
                      -0x1.226e3387a300fp-7, 0x1.d6d3782f5507p-9, -0x1.7d9dc8a6f4515p-10, 0x1.3519b3805ebccp-11,
                      -0x1.f1b99a8f4596dp-13, 0x1.82830528a6d74p-14, -0x1.0279cf0f0d7fap-15, 0x1.a8d03dddae5a2p-18));
}
// e^|x| / 2.
template <class T>
KMUX_DEVICE T kmux_half_exp(T x, T most) {
  kmux_whole<T> n;
  const T part = kmux_exp_part(kmux_clamp(kmux_abs(x), T(0), most), n);
  return kmux_scaled(T(1) + part, n - 1);
}
template <class T>
KMUX_DEVICE T kmux_cosh(T x, T most) {
  const T half = kmux_half_exp(x, most);
  return half + T(0.25) / half;
}
template <class T>
KMUX_DEVICE T kmux_sinh(T x, T most) {
  const T half = kmux_half_exp(x, most), a = kmux_abs(x);
  const T small = kmux_fma(a, kmux_sinh_tail(x * x), a);
  return kmux_signed(kmux_choose(a < T(1), small, half - T(0.25) / half), x);
}
template <class T>
KMUX_DEVICE T kmux_tanh(T x, T most) {
  kmux_whole<T> n;
  const T a = kmux_abs(x), small = kmux_fma(a, kmux_tanh_tail(x * x), a);
  const T part = kmux_exp_part(T(2) * kmux_clamp(a, T(0), most), n);
  const T scale = kmux_two_to<T>(n);
  const T large = T(1) - T(2) / (kmux_fma(scale, part, scale) + T(1));
  return kmux_signed(kmux_choose(a < T(0.6), small, large), x);
}
KMUX_DEVICE float coshf(float x) { return kmux_cosh(x, 91.0f); }
KMUX_DEVICE double cosh(double x) { return kmux_cosh(x, 712.0); }
KMUX_DEVICE float sinhf(float x) { return kmux_sinh(x, 91.0f); }
KMUX_DEVICE double sinh(double x) { return kmux_sinh(x, 712.0); }
KMUX_DEVICE float tanhf(float x) { return kmux_tanh(x, 10.0f); }
KMUX_DEVICE double tanh(double x) { return kmux_tanh(x, 20.0); }
#pragma float_control(pop)
KMUX_OVERLOAD_1(exp)
KMUX_OVERLOAD_1(exp2)
KMUX_OVERLOAD_1(exp10)
KMUX_OVERLOAD_1(expm1)
KMUX_OVERLOAD_1(sinh)
KMUX_OVERLOAD_1(cosh)
KMUX_OVERLOAD_1(tanh)
