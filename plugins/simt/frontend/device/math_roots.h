// Roots, lengths, and remainders of division.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// m^(-1/3) for 1 <= m < 2, to 17 and 20 bits.
KMUX_DEVICE float kmux_inverse_cube_root(float m) {
  return KMUX_POLY6(m, 0x1.c7f278p0f, -0x1.90e3ep0f, 0x1.3e63dep0f, -0x1.32157ep-1f, 0x1.3f98dp-3f, -0x1.16cc5ep-6f);
}
KMUX_DEVICE double kmux_inverse_cube_root(double m) {
  const double y = KMUX_POLY7(m, 0x1.e13958006e8c3p0, -0x1.fc41ad47e9994p0, 0x1.fa1b93b68173ep0, -0x1.45faa814a6d75p0,
                              0x1.01048e1b86c46p-1, -0x1.c43bcea5e3b4ap-4, 0x1.546843af9a69cp-7);
  return kmux_fma(y * (1.0 / 3), kmux_fma(-m * (y * y), y, 1.0), y);
}
// Newton's method for the inverse, which needs no division, then a correction by the residual of x.
template <class T>
KMUX_DEVICE T kmux_cbrt(T x) {
  using Whole = kmux_whole<T>;
  using Number = kmux_number<T>;
  const T a = kmux_abs(x);
  const bool is_small = a < Number::least;
  const Whole bits = kmux_bits(kmux_choose(is_small, a * T(0x1p54), a));
  const int exponent = static_cast<int>(bits >> Number::digits) - Number::bias + 1200 - (is_small ? 54 : 0);
  const int third = static_cast<int>(static_cast<unsigned>(exponent) * 43691u >> 17), left = exponent - 3 * third;
  const T fraction = kmux_of_bits((bits & ((Whole(1) << Number::digits) - 1)) | __builtin_bit_cast(Whole, T(1)));
  const T m = fraction * kmux_choose(left == 0, T(1), kmux_choose(left == 1, T(2), T(4)));
  T y = kmux_inverse_cube_root(fraction) *
        kmux_choose(left == 0, T(1), kmux_choose(left == 1, T(0x1.965fea53d6e3dp-1), T(0x1.428a2f98d728bp-1)));
  y = kmux_fma(y * T(1.0 / 3), kmux_fma(-m * (y * y), y, T(1)), y);
  const T square = y * y;
  T root = m * square;
  const T p = root * root;
  const T rest = kmux_fma(-p, root, m) - kmux_lost(root, root, p) * root;
  root = kmux_fma(rest, square * T(1.0 / 3), root) * kmux_two_to<T>(third - 400);
  return kmux_choose(a > T(0) && a < Number::infinity, kmux_signed(root, x), x + x);
}
KMUX_DEVICE float cbrtf(float x) { return kmux_cbrt(x); }
KMUX_DEVICE double cbrt(double x) { return kmux_cbrt(x); }

KMUX_DEVICE float hypotf(float x, float y) {
  const double a = x, b = y;
  constexpr float kInfinity = __builtin_inff();
  const bool has_infinity = kmux_abs(x) == kInfinity || kmux_abs(y) == kInfinity;
  return kmux_choose(has_infinity, kInfinity, static_cast<float>(kmux_root(kmux_fma(a, a, b * b))));
}
KMUX_DEVICE double hypot(double x, double y) {
  constexpr double kInfinity = __builtin_inf();
  const double a = kmux_abs(x), b = kmux_abs(y), most = kmux_choose(a > b, a, b);
  const double up = kmux_choose(most < 0x1p-480, 0x1p600, 1.0), down = kmux_choose(most < 0x1p-480, 0x1p-600, 1.0);
  const double scale = kmux_choose(most > 0x1p480, 0x1p-600, up), back = kmux_choose(most > 0x1p480, 0x1p600, down);
  const double u = a * scale, v = b * scale, square = u * u, other = v * v;
  const double lost = kmux_lost(u, u, square) + kmux_lost(v, v, other);
  const double big = kmux_choose(a > b, square, other), little = kmux_choose(a > b, other, square);
  const double sum = big + little;
  const double r = kmux_root(sum + (lost + (little - (sum - big)))) * back;
  return kmux_choose(a == kInfinity || b == kInfinity, kInfinity, r);
}

// a modulo b, for finite a >= 0 and b > 0. The remainder after a rounded quotient is exact, however large the quotient.
// Its sign decides whether the next step goes up or down.
KMUX_DEVICE double kmux_modulo(double a, double b) {
  bool is_below = false;
  while (a >= b) {
    const double great = b * 0x1p1000;  // keeps the quotient finite
    double step = kmux_choose(a >= great, great, b);
    step = kmux_choose((a >= great) & (a >= great * 0x1p80), great * 0x1p80, step);
    const double rest = __builtin_fma(-__builtin_rint(a / step), step, a);
    is_below = is_below != (rest < 0.0);
    a = kmux_abs(rest);
  }
  return kmux_choose(is_below & (a > 0.0), b - a, a);
}
template <class T>
KMUX_DEVICE T kmux_fmod(T x, T y) {
  const double a = kmux_abs(x), b = kmux_abs(y);
  const bool is_number = (a < __builtin_inf()) & (b > 0.0);
  const T rest = static_cast<T>(kmux_modulo(kmux_choose(is_number, a, 0.0), kmux_choose(is_number, b, 1.0)));
  return kmux_choose(is_number, kmux_signed(rest, x), T(__builtin_nanf("")));
}
// IEEE 754: the quotient is rounded to even, so comparing with two times y decides.
template <class T>
KMUX_DEVICE T kmux_remainder(T x, T y) {
  const double a = kmux_abs(x), b = kmux_abs(y);
  const bool is_number = (a < __builtin_inf()) & (b > 0.0);
  const bool is_twice = b < 0x1p1022;
  const double some = kmux_choose(is_number, a, 0.0),
               step = kmux_choose(is_number & is_twice, 2.0 * b, __builtin_inf());
  double r = kmux_modulo(some, step);
  const auto is_above = [&](double value) {
    return kmux_choose(b < 0x1p-1000, 2.0 * value, value) > kmux_choose(b < 0x1p-1000, b, 0.5 * b);
  };
  const auto is_half = [&](double value) {
    return kmux_choose(b < 0x1p-1000, 2.0 * value, value) >= kmux_choose(b < 0x1p-1000, b, 0.5 * b);
  };
  const bool is_first = is_above(r);
  r = kmux_choose(is_first, r - b, r);
  r = kmux_choose(is_first & is_half(r), r - b, r);
  return kmux_choose(is_number, kmux_flipped(static_cast<T>(r), x), T(__builtin_nanf("")));
}
// The remainder, and the last three bits of the rounded quotient with its sign.
template <class T>
KMUX_DEVICE T kmux_remquo(T x, T y, int* quotient) {
  const double a = kmux_abs(x), b = kmux_abs(y);
  const bool is_number = (a < __builtin_inf()) & (b > 0.0);
  const double step = kmux_choose(is_number, b, 1.0);
  double r = kmux_modulo(kmux_choose(is_number, a, 0.0), 8.0 * step);
  int bits = 0;
  for (int times = 4; times > 0; times /= 2) {
    const bool is_more = r >= times * step;
    r = kmux_choose(is_more, r - times * step, r);
    bits += kmux_choose(is_more, times, 0);
  }
  const double rest = step - r;
  const bool is_above = (r > rest) | ((r == rest) & ((bits & 1) != 0));
  r = kmux_choose(is_above, r - step, r);
  bits = (bits + kmux_choose(is_above, 1, 0)) & 7;
  *quotient = kmux_choose(kmux_signed(T(1), x) == kmux_signed(T(1), y), bits, -bits);
  return kmux_choose(is_number, kmux_flipped(static_cast<T>(r), x), T(__builtin_nanf("")));
}
// Lengths in three and four dimensions. Squares of floats are exact in double; doubles are scaled so that the largest is about 1.
KMUX_DEVICE float kmux_norm(float a, float b, float c, float d) {
  const double x = a, y = b, z = c, w = d;
  const float length = static_cast<float>(kmux_root(kmux_fma(x, x, y * y) + kmux_fma(z, z, w * w)));
  constexpr float kInfinity = __builtin_inff();
  const bool has_infinity =
      (kmux_abs(a) == kInfinity) | (kmux_abs(b) == kInfinity) | (kmux_abs(c) == kInfinity) | (kmux_abs(d) == kInfinity);
  return kmux_choose(has_infinity, kInfinity, length);
}
KMUX_DEVICE double kmux_norm(double a, double b, double c, double d) {
  constexpr double kInfinity = __builtin_inf();
  const double most =
      __builtin_fmax(__builtin_fmax(kmux_abs(a), kmux_abs(b)), __builtin_fmax(kmux_abs(c), kmux_abs(d)));
  const double scale = kmux_choose(most < 0x1p-400, 0x1p600, kmux_choose(most > 0x1p400, 0x1p-600, 1.0));
  const double back = kmux_choose(most < 0x1p-400, 0x1p-600, kmux_choose(most > 0x1p400, 0x1p600, 1.0));
  const double x = a * scale, y = b * scale, z = c * scale, w = d * scale;
  const double length = kmux_root(kmux_fma(x, x, y * y) + kmux_fma(z, z, w * w)) * back;
  return kmux_choose(most == kInfinity, kInfinity, length);
}
KMUX_DEVICE float fmodf(float x, float y) { return kmux_fmod(x, y); }
KMUX_DEVICE double fmod(double x, double y) { return kmux_fmod(x, y); }
KMUX_DEVICE float remainderf(float x, float y) { return kmux_remainder(x, y); }
KMUX_DEVICE double remainder(double x, double y) { return kmux_remainder(x, y); }
KMUX_DEVICE float remquof(float x, float y, int* quotient) { return kmux_remquo(x, y, quotient); }
KMUX_DEVICE double remquo(double x, double y, int* quotient) { return kmux_remquo(x, y, quotient); }
KMUX_DEVICE float remquo(float x, float y, int* quotient) { return kmux_remquo(x, y, quotient); }
KMUX_DEVICE float norm3df(float a, float b, float c) { return kmux_norm(a, b, c, 0.0f); }
KMUX_DEVICE double norm3d(double a, double b, double c) { return kmux_norm(a, b, c, 0.0); }
KMUX_DEVICE float norm4df(float a, float b, float c, float d) { return kmux_norm(a, b, c, d); }
KMUX_DEVICE double norm4d(double a, double b, double c, double d) { return kmux_norm(a, b, c, d); }
#pragma float_control(pop)
KMUX_DEVICE float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
KMUX_DEVICE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
KMUX_DEVICE float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
KMUX_DEVICE double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
KMUX_DEVICE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
KMUX_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
KMUX_DEVICE float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
KMUX_DEVICE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
KMUX_OVERLOAD_1(cbrt)
KMUX_OVERLOAD_2(hypot)
KMUX_OVERLOAD_2(fmod)
KMUX_OVERLOAD_2(remainder)
