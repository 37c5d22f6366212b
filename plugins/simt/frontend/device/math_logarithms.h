// Logarithms: the exponent, and a polynomial near 1.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// The special values of a logarithm, for x that is not a positive number.
template <class T>
KMUX_DEVICE T kmux_log_of(T x, T result) {
  constexpr T kInfinity = kmux_number<T>::infinity;
  const T none = kmux_choose(x == T(0), -kInfinity, kInfinity - kInfinity);
  result = kmux_choose(x > T(0), result, none);
  return kmux_choose(x < kInfinity, result, x);
}
// k ln(2) + ln(1 + f).
KMUX_DEVICE float kmux_log_sum(float f, float k) {
  const float z = f * f;
  const float tail = f * z *
                     (KMUX_POLY8(f, 0x1.555586p-2f, -0x1.00024p-2f, 0x1.998b06p-3f, -0x1.545d8ep-3f, 0x1.243684p-3f,
                                 -0x1.0f741ep-3f, 0x1.fc6858p-4f, -0x1.1f1a5ep-4f));
  const float y = f + kmux_fma(-0.5f, z, kmux_fma(k, kmux_ln2<float>::low, tail));
  return kmux_fma(k, kmux_ln2<float>::high, y);
}
// (ln(1 + f) - f + f^2 / 2) by s = f / (2 + f): half of f^2 is added outside, so that it is rounded once.
KMUX_DEVICE double kmux_log_tail(double f, double half_square) {
  const double s = f / (2.0 + f), z = s * s;
  return s *
         kmux_fma(z,
                  KMUX_POLY7(z, 0x1.5555555555558p-1, 0x1.9999999995303p-2, 0x1.2492492df3035p-2, 0x1.c71c62e0b72cbp-3,
                             0x1.7462b661a6689p-3, 0x1.39fe212ae99bap-3, 0x1.2b5b8533c9337p-3),
                  half_square);
}
KMUX_DEVICE double kmux_log_sum(double f, double k) {
  const double half = 0.5 * f * f;
  const double y = f - (half - kmux_fma(k, kmux_ln2<double>::low, kmux_log_tail(f, half)));
  return kmux_fma(k, kmux_ln2<double>::high, y);
}
template <class T>
KMUX_DEVICE T kmux_log(T x) {
  T k;
  const T f = kmux_mantissa(x, k) - T(1);
  return kmux_log_of(x, kmux_log_sum(f, k));
}
// f = (1 + x) 2^-k - 1; only the last step is rounded.
template <class T>
KMUX_DEVICE T kmux_log1p(T x, T tiny) {
  T k;
  const T sum = T(1) + x, m = kmux_mantissa(sum, k);
  const T down = kmux_two_to<T>(-static_cast<int>(k));
  const T f = kmux_choose(k > T(60), m - T(1), kmux_fma(x, down, down - T(1)));
  return kmux_choose(kmux_abs(x) < tiny, x, kmux_log_of(sum, kmux_log_sum(f, k)));
}
KMUX_DEVICE float logf(float x) { return kmux_log(x); }
KMUX_DEVICE double log(double x) { return kmux_log(x); }
KMUX_DEVICE float log1pf(float x) { return kmux_log1p(x, 0x1p-26f); }
KMUX_DEVICE double log1p(double x) { return kmux_log1p(x, 0x1p-55); }

KMUX_DEVICE float log2f(float x) {
  float k;
  const float f = kmux_mantissa(x, k) - 1.0f;
  const float rest =
      kmux_fma(f, 0x1.4ae0cp-26f,
               f * f *
                   (KMUX_POLY9(f, -0x1.71547p-1f, 0x1.ec7094p-2f, -0x1.715acap-2f, 0x1.277ef4p-2f, -0x1.eab0e6p-3f,
                               0x1.a2e64p-3f, -0x1.878132p-3f, 0x1.7e1244p-3f, -0x1.c34c5ep-4f)));
  return kmux_log_of(x, k + kmux_fma(f, 0x1.715476p0f, rest));
}
KMUX_DEVICE float log10f(float x) {
  float k;
  const float f = kmux_mantissa(x, k) - 1.0f;
  float y =
      kmux_fma(f, -0x1.5b235ep-27f,
               f * f *
                   (KMUX_POLY9(f, -0x1.bcb7aap-3f, 0x1.287a72p-3f, -0x1.bcbf2cp-4f, 0x1.63cf36p-4f, -0x1.276efp-4f,
                               0x1.f8854ep-5f, -0x1.d76bf2p-5f, 0x1.cb6462p-5f, -0x1.0ee632p-5f)));
  y = kmux_fma(f, 0x1.bcb7b2p-2f, kmux_fma(k, 0x1.04d428p-12f, y));
  return kmux_log_of(x, kmux_fma(k, 0x1.34p-2f, y));
}
// log(1 + f) in two parts, times a constant in two parts, plus k times another constant.
KMUX_DEVICE double kmux_log_times(double x, double high, double low, double k_high, double k_low) {
  double k;
  const double f = kmux_mantissa(x, k) - 1.0, half = 0.5 * f * f;
  const double head = f - half;
  const double rest = ((f - head) - half) + kmux_log_tail(f, half);
  const double product = head * high;
  const double tail = kmux_lost(head, high, product) + kmux_fma(rest, high, kmux_fma(head, low, k * k_low));
  const double whole = k * k_high, sum = whole + product;
  return kmux_log_of(x, sum + (tail + (product - (sum - whole))));
}
KMUX_DEVICE double log2(double x) { return kmux_log_times(x, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, 1.0, 0.0); }
KMUX_DEVICE double log10(double x) {
  return kmux_log_times(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.3441350ap-2, -0x1.0c0219dc1da99p-39);
}
#pragma float_control(pop)
KMUX_OVERLOAD_1(log)
KMUX_OVERLOAD_1(log2)
KMUX_OVERLOAD_1(log10)
KMUX_OVERLOAD_1(log1p)
