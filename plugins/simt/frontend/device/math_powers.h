// Powers with arbitrary exponents.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// 2^x for |x| < 1000, with float precision.
KMUX_DEVICE double kmux_exp2_of_float(double x) {
  long long n;
  const double r = x - kmux_nearest(x, n);
  return kmux_of_bits(kmux_bits(kmux_fma(r,
                                         KMUX_POLY7(r, 0x1.62e42ff0e2148p-1, 0x1.ebfbe077ae039p-3, 0x1.c6b08abf98202p-5,
                                                    0x1.3b29f3757b6d1p-7, 0x1.5d8a86839661ep-10, 0x1.445ca6a8f64a5p-13,
                                                    0x1.fde5cc10af74fp-17),
                                         1.0)) +
                      (n << 52));
}
// log2 of a positive number.
KMUX_DEVICE double kmux_log2_of_float(float x) {
  float k;
  const double f = static_cast<double>(kmux_mantissa(x, k)) - 1.0;
  return kmux_fma(f,
                  KMUX_POLY13(f, 0x1.71547652a1cafp0, -0x1.715476566624ap-1, 0x1.ec709ebcadcb7p-2, -0x1.7154708a4755p-2,
                              0x1.277651906d36bp-2, -0x1.ec72bacc1844cp-3, 0x1.a63f62eed133fp-3, -0x1.71410f891b0ebp-3,
                              0x1.45272da1de136p-3, -0x1.2531e0be61f79p-3, 0x1.287f17a5f9bc8p-3, -0x1.2484a3f223d64p-3,
                              0x1.3cb2007ef4cd9p-4),
                  static_cast<double>(k));
}
KMUX_DEVICE float kmux_truncated(float x) { return __builtin_truncf(x); }
KMUX_DEVICE double kmux_truncated(double x) { return __builtin_trunc(x); }

// Returns x^y, given |x|^y as `power`.
template <class T>
KMUX_DEVICE T kmux_power_of(T x, T y, T power) {
  constexpr T kInfinity = kmux_number<T>::infinity;
  const T half = T(0.5) * y;
  const bool is_whole = kmux_truncated(y) == y, is_odd = is_whole & (kmux_truncated(half) != half);
  power = kmux_choose((x != x) | (y != y), x + y, power);
  power = kmux_choose((kmux_abs(x) == T(1)) & (y == y), T(1), power);
  power = kmux_choose((x < T(0)) & (x != -kInfinity) & !is_whole, kInfinity - kInfinity, power);
  power = kmux_choose(is_odd & (kmux_bits(x) < 0), -power, power);
  return kmux_choose((x == T(1)) | (y == T(0)), T(1), power);
}
KMUX_DEVICE float powf(float x, float y) {
  const float a = kmux_abs(x);
  double log = kmux_log2_of_float(a);
  log = kmux_choose(a == 0.0f, -__builtin_inf(), log);
  log = kmux_choose(a == __builtin_inff(), __builtin_inf(), log);
  const double z = kmux_clamp(static_cast<double>(y) * log, -300.0, 300.0);
  return kmux_power_of(x, y, static_cast<float>(kmux_exp2_of_float(z)));
}

// ln of a positive number in two parts, together accurate to 65 bits: by s = (m - 1) / (m + 1). Each step that matters
// keeps its rounding error.
KMUX_DEVICE double kmux_log_in_two(double x, double& low) {
  double k;
  const double m = kmux_mantissa(x, k), above = m - 1.0, below = m + 1.0, below_lost = m - (below - 1.0);
  const double inverse = 1.0 / below, s = above * inverse, p = s * below;
  const double s_low = (((above - p) - kmux_lost(s, below, p)) - s * below_lost) * inverse;
  const double z = s * s, z_low = kmux_fma(2.0 * s, s_low, kmux_lost(s, s, z));
  const double tail =
      z * (KMUX_POLY8(z, 0x1.999999999999ap-2, 0x1.24924924922fcp-2, 0x1.c71c71c74d1cp-3, 0x1.745d173c57417p-3,
                      0x1.3b13aa0342a94p-3, 0x1.11154601f4b17p-3, 0x1.e01b9e2a1bb45p-4, 0x1.da9000072fdbp-4));
  const double c = 0x1.5555555555555p-1 + tail, c_low = (0x1.5555555555555p-1 - c) + tail + 0x1.5555555555555p-55;
  const double u = s * z, u_low = kmux_fma(s, z_low, kmux_fma(s_low, z, kmux_lost(s, z, u)));
  const double v = u * c, v_low = kmux_fma(u, c_low, kmux_fma(u_low, c, kmux_lost(u, c, v)));
  const double sum = 2.0 * s + v, sum_low = (2.0 * s - sum) + v + kmux_fma(2.0, s_low, v_low);
  const double whole = k * kmux_ln2<double>::high, all = whole + sum;
  const double lost = kmux_choose(k == 0.0, 0.0, sum - (all - whole));
  const double rest = lost + kmux_fma(k, kmux_ln2<double>::low, kmux_fma(k, -0x1.9ff0342542fc3p-90, sum_low));
  const double log = all + rest;
  low = rest - (log - all);
  return log;
}
KMUX_DEVICE double pow(double x, double y) {
  constexpr double kInfinity = __builtin_inf(), kMost = 746.0;
  const double a = kmux_abs(x), exponent = kmux_clamp(y, -0x1p65, 0x1p65);
  double low;
  long long n;
  double log = kmux_log_in_two(a, low);
  log = kmux_choose(a == 0.0, -kInfinity, kmux_choose(a == kInfinity, kInfinity, log));
  const double product = exponent * log;
  const double lost = kmux_fma(exponent, low, kmux_lost(exponent, log, product));
  const double rest = kmux_choose(kmux_abs(product) < kMost, lost, 0.0);
  const double part = kmux_exp_part(kmux_clamp(product, -kMost, kMost), n);
  return kmux_power_of(x, y, kmux_scaled(1.0 + (part + kmux_fma(rest, part, rest)), n));
}
#pragma float_control(pop)
KMUX_OVERLOAD_2(pow)
