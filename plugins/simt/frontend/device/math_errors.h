// The error function and its complement.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

KMUX_DEVICE float erff(float x) {
  int n;
  const float a = kmux_clamp(kmux_abs(x), 0.0f, 4.0f), z = a * a;
  const float small = kmux_fma(a,
                               KMUX_POLY8(z, 0x1.06eba8p-3f, -0x1.812744p-2f, 0x1.ce2ea2p-4f, -0x1.b82232p-6f,
                                          0x1.55e0eep-8f, -0x1.b9d556p-11f, 0x1.c8c8bp-14f, -0x1.2307bcp-17f),
                               a);
  const float part =
      kmux_exp_part(-a * (KMUX_POLY8(a, 0x1.20ea0ap0f, 0x1.456508p-1f, 0x1.afdbp-4f, -0x1.766a6ap-6f, 0x1.8e62cap-9f,
                                     -0x1.749bcap-14f, -0x1.3e32c8p-15f, 0x1.2188e8p-18f)),
                    n);
  const float scale = kmux_two_to<float>(n);
  return kmux_signed(kmux_choose(a < 1.0f, small, 1.0f - kmux_fma(scale, part, scale)), x);
}
// erfc(a) e^(a^2) (1 + 2 a), which is between 1 and 1.3, is a polynomial of t = (a - 4) / (a + 4).
KMUX_DEVICE float erfcf(float x) {
  const double a = kmux_clamp(kmux_abs(static_cast<double>(x)), 0.0, 10.5);
  const double den = kmux_fma(2.0, a, 1.0), far = a + 4.0;
  const double inverse = 1.0 / (den * far);
  const double t = (a - 4.0) * den * inverse;
  const double p =
      (KMUX_POLY13(t, 0x1.3ba5916f4187bp0, -0x1.1df1ad555984cp-3, 0x1.f7f5a419171a4p-7, 0x1.16ed0abd68386p-4,
                   -0x1.9dda3229fbb36p-4, 0x1.7fece41f745a6p-4, -0x1.0fbbdefef2a0dp-4, 0x1.30766394f4e71p-5,
                   -0x1.087d01791e48cp-6, 0x1.4d7b7b60007a3p-8, -0x1.b8a7486626bf1p-11, -0x1.8377d329360abp-12,
                   0x1.536a282ac2bf3p-14))*far *
      inverse;
  const double result = p * kmux_exp2_of_float(a * a * -0x1.71547652b82fep0);
  return static_cast<float>(kmux_choose(x < 0.0f, 2.0 - result, result));
}
KMUX_DEVICE double kmux_erfc_positive(double a) {
  const double t = (a - 4.0) / (a + 4.0);
  constexpr double kMiddle = 0x1.3ba5916e9fd7fp0;  // at t = 0
  const double rest =
      t * (KMUX_POLY23(t, -0x1.1df1ad154a28dp-3, 0x1.f7f5df66fc782p-7, 0x1.16ecefcfa51edp-4, -0x1.9ddb23c3e3366p-4,
                       0x1.7fee004e173b7p-4, -0x1.0fb06dfec57a2p-4, 0x1.3079edf5ae443p-5, -0x1.0962386e2790fp-6,
                       0x1.49c672d5dba16p-8, -0x1.8d4aae8caa2d1p-11, -0x1.a1df6e6d5678p-13, 0x1.3be1badbecbfp-13,
                       -0x1.994e89483782fp-16, -0x1.78ccc5bd94a18p-17, 0x1.7ea471eda8c6cp-18, 0x1.4b4ad3374e1fep-22,
                       -0x1.b2c6712ce18dcp-21, 0x1.e463ec119110ep-25, 0x1.85a09ccaa9c74p-24, -0x1.5960057a78811p-28,
                       -0x1.c112bfeb6de85p-32, -0x1.23fb1b06c3513p-29, -0x1.96680757b91ddp-29));
  const double p = kMiddle + rest, p_low = (kMiddle - p) + rest;
  const double den = 1.0 + 2.0 * a, den_lost = 2.0 * a - (den - 1.0), inverse = 1.0 / den;
  const double q = p * inverse, back = q * den;
  const double q_low = (((p - back) - kmux_lost(q, den, back)) + (p_low - q * den_lost)) * inverse;
  const double square = a * a, lost = kmux_lost(a, a, square);
  long long n;
  double part = kmux_exp_part(-square, n);
  part -= kmux_fma(lost, part, lost);
  return kmux_scaled(q + kmux_fma(q, part, q_low), n);
}
KMUX_DEVICE double kmux_erf_near_zero(double x) {
  const double z = x * x;
  return kmux_fma(
      x,
      KMUX_POLY15(z, 0x1.06eba8214db69p-3, -0x1.812746b037a05p-2, 0x1.ce2f21a043f13p-4, -0x1.b82ce312e430ep-6,
                  0x1.565bcd1de4f38p-8, -0x1.c02db74c5ca33p-11, 0x1.f9a39f4b2a577p-14, -0x1.f4de445296adcp-17,
                  0x1.babc7ed3ac021p-20, -0x1.6a24613e4aa3bp-23, 0x1.5f5ba56deed6fp-26, -0x1.84f00e2e6c039p-28,
                  0x1.478c13a86f36cp-29, -0x1.84807034dbd02p-31, 0x1.a7de600701b6bp-34),
      x);
}
KMUX_DEVICE double erfc(double x) {
  const double a = kmux_abs(x), far = kmux_erfc_positive(kmux_clamp(a, 0.4, 27.5));
  const double result = kmux_choose(a < 0.4, 1.0 - kmux_erf_near_zero(a), far);
  return kmux_choose(x < 0.0, 2.0 - result, result);
}
KMUX_DEVICE double erf(double x) {
  const double a = kmux_abs(x), far = 1.0 - kmux_erfc_positive(kmux_clamp(a, 0.4, 6.0));
  return kmux_signed(kmux_choose(a < 1.0, kmux_erf_near_zero(a), far), x);
}
#pragma float_control(pop)
KMUX_DEVICE float normcdff(float x) { return 0.5f * erfcf(x * -0.707106781f); }
KMUX_DEVICE double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752); }
KMUX_OVERLOAD_1(erf)
KMUX_OVERLOAD_1(erfc)
