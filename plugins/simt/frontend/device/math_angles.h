// The inverse trigonometric functions.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// asin(s) = s + s z P(z), with z = s^2 <= 1/4.
KMUX_DEVICE float kmux_asin_tail(float s, float z) {
  return s * z *
         (KMUX_POLY6(z, 0x1.55554cp-3f, 0x1.3338ap-4f, 0x1.6caa38p-5f, 0x1.04b48p-5f, 0x1.d733c2p-7f, 0x1.33f9a8p-5f));
}
KMUX_DEVICE double kmux_asin_tail(double s, double z) {
  return s * z *
         (KMUX_POLY13(z, 0x1.5555555555578p-3, 0x1.333333332df54p-4, 0x1.6db6db7227294p-5, 0x1.f1c71a8d724e4p-6,
                      0x1.6e8bdfafaca83p-6, 0x1.1c49e1eec44b3p-6, 0x1.ca20e6ae2a4a8p-7, 0x1.757a7abaea354p-7,
                      0x1.617ad91c6a774p-7, 0x1.e2416f648f8bcp-9, 0x1.64bf53225d704p-6, -0x1.599d308980136p-6,
                      0x1.0bca1d2e877a4p-5));
}
KMUX_DEVICE float kmux_atan_tail(float s, float z) {
  return s * z *
         (KMUX_POLY7(z, -0x1.555556p-2f, 0x1.9999d4p-3f, -0x1.24945ep-3f, 0x1.c6e4b4p-4f, -0x1.6f483ap-4f,
                     0x1.14fcbap-4f, -0x1.10a8f6p-5f));
}
KMUX_DEVICE double kmux_atan_tail(double s, double z) {
  return s * z *
         (KMUX_POLY14(z, -0x1.5555555555555p-2, 0x1.99999999998c1p-3, -0x1.249249248bf3cp-3, 0x1.c71c71c40965cp-4,
                      -0x1.745d16d2be5d6p-4, 0x1.3b13a63753304p-4, -0x1.1110572e4102ap-4, 0x1.e1d076673df36p-5,
                      -0x1.ae91261a2e17ep-5, 0x1.8259a589dd5a7p-5, -0x1.52de0e5aaee96p-5, 0x1.0debdbebb413ap-5,
                      -0x1.4d1b07936612fp-6, 0x1.c257b38ff710ap-8));
}
// pi/4, of which five multiples are exact, and its remainder.
template <class T>
struct kmux_eighth;
template <>
struct kmux_eighth<float> {
  static constexpr float high = 0x1.921fbp-1f, low = 0x1.5110b4p-23f;
};
template <>
struct kmux_eighth<double> {
  static constexpr double high = 0x1.921fb54442d18p-1, low = 0x1.1a62633145c07p-55;
};

// Above 1/2 by the half-angle formula: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
template <class T>
KMUX_DEVICE T kmux_asin(T x) {
  using Eighth = kmux_eighth<T>;
  const T a = kmux_abs(x);
  const bool is_far = a > T(0.5);
  const T z = kmux_choose(is_far, T(0.5) - T(0.5) * a, a * a);
  const T s = kmux_choose(is_far, kmux_root(z), a);
  const T p = s + (kmux_asin_tail(s, z) - kmux_choose(is_far, Eighth::low, T(0)));
  return kmux_signed(kmux_choose(is_far, T(2) * (Eighth::high - p), p), x);
}
template <class T>
KMUX_DEVICE T kmux_acos(T x) {
  using Eighth = kmux_eighth<T>;
  const T a = kmux_abs(x);
  const bool is_far = a > T(0.5), is_low = x < T(0);
  const T z = kmux_choose(is_far, T(0.5) - T(0.5) * a, a * a);
  const T s = kmux_signed(kmux_choose(is_far, kmux_root(z), a), x);
  const T tail = kmux_asin_tail(s, z);
  const T far = T(2) * (kmux_choose(is_low, T(4) * Eighth::high, T(0)) / T(2) +
                        (s + (tail + kmux_choose(is_low, T(2) * Eighth::low, T(0)))));
  const T near = T(2) * Eighth::high - (s + (tail - T(2) * Eighth::low));
  return kmux_choose(is_far, far, near);
}

// Returns the angle whose tangent is y / x: by the quotient of the smaller and the larger, or by the quotient of their
// difference and sum, whichever is below 1/2. Neither argument is negative.
template <class T>
KMUX_DEVICE T kmux_angle(T y, T x, bool is_left) {
  using Eighth = kmux_eighth<T>;
  const bool is_steep = y > x;
  const T low = kmux_choose(is_steep, x, y), high = kmux_choose(is_steep, y, x);
  const bool is_far = low + low > high;
  const T above = kmux_choose(is_far, low - high, low), below = kmux_choose(is_far, low + high, high);
  const T t = above / kmux_choose(below == T(0), T(1), below);
  T eighths = kmux_choose(is_far, T(1), kmux_choose(is_steep, T(2), T(0)));
  eighths = kmux_choose(is_left, T(4) - eighths, eighths);
  const T s = kmux_choose(is_steep != is_left, -t, t);
  return eighths * Eighth::high + (s + kmux_fma(eighths, Eighth::low, kmux_atan_tail(s, s * s)));
}
template <class T>
KMUX_DEVICE T kmux_atan(T x) {
  const T a = kmux_abs(x);
  const T finite = kmux_choose(a > T(0x1p120), T(0x1p120), a);
  return kmux_signed(kmux_angle(finite, T(1), false), x);
}
// Two infinities count as two ones, and a finite number next to an infinity as zero; NaN stays NaN.
template <class T>
KMUX_DEVICE T kmux_atan2(T y, T x) {
  constexpr T kInfinity = kmux_number<T>::infinity;
  const T v = kmux_abs(y), u = kmux_abs(x);
  const bool has_infinity = v == kInfinity || u == kInfinity;
  const bool is_huge = v > T(0.25) / kmux_number<T>::least || u > T(0.25) / kmux_number<T>::least;
  const T scale = kmux_choose(is_huge, T(0.25), T(1));
  const T b = kmux_choose(has_infinity, kmux_choose(v == kInfinity, T(1), v * T(0)), v * scale);
  const T a = kmux_choose(has_infinity, kmux_choose(u == kInfinity, T(1), u * T(0)), u * scale);
  return kmux_signed(kmux_angle(b, a, kmux_bits(x) < 0), y);
}
KMUX_DEVICE float asinf(float x) { return kmux_asin(x); }
KMUX_DEVICE float acosf(float x) { return kmux_acos(x); }
KMUX_DEVICE float atanf(float x) { return kmux_atan(x); }
KMUX_DEVICE float atan2f(float y, float x) { return kmux_atan2(y, x); }
KMUX_DEVICE double asin(double x) { return kmux_asin(x); }
KMUX_DEVICE double acos(double x) { return kmux_acos(x); }
KMUX_DEVICE double atan(double x) { return kmux_atan(x); }
KMUX_DEVICE double atan2(double y, double x) { return kmux_atan2(y, x); }
#pragma float_control(pop)
KMUX_OVERLOAD_1(acos)
KMUX_OVERLOAD_1(asin)
KMUX_OVERLOAD_1(atan)
KMUX_OVERLOAD_2(atan2)
