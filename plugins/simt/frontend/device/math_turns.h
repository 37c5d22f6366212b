// Sines, cosines and tangents of any argument.
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// Defines the functions `sine` and `cosine` of a T by `both`, which computes the two together.
#define KMUX_SINE_AND_COSINE(T, sine, cosine, both) \
  KMUX_DEVICE T sine(T x) {                         \
    T s, c;                                         \
    return both(x, &s, &c), s;                      \
  }                                                 \
  KMUX_DEVICE T cosine(T x) {                       \
    T s, c;                                         \
    return both(x, &s, &c), c;                      \
  }

// Returns x, negated if `sign` is negative.
KMUX_DEVICE float kmux_flipped(float x, float sign) {
  return kmux_of_bits(kmux_bits(x) ^ (kmux_bits(sign) & (-1 - 0x7fffffff)));
}
KMUX_DEVICE double kmux_flipped(double x, double sign) {
  return kmux_of_bits(kmux_bits(x) ^ (kmux_bits(sign) & (-1 - 0x7fffffffffffffffll)));
}
// Returns the sine for even n and the cosine for odd n, with the sign for n modulo 4.
KMUX_DEVICE double kmux_turned(double sine, double cosine, long long n) {
  const double x = kmux_choose((n & 1) == 0, sine, cosine);
  return kmux_of_bits(kmux_bits(x) ^ ((n & 2) << 62));
}

// For float, in double: pairs of float would cost more.
//
// Returns the distance of x >= 0 to the nearest multiple of a quarter turn, in quarter turns, and that multiple modulo
// 4. From 2^48 on x is an integer times a power of two, of which only the rest modulo 4 quarter turns matters.
KMUX_DEVICE double kmux_quarters(float x, long long& n) {
  double m = x, high = 0x1.45f306dc9c883p-1, low = -0x1.6b01ec5417056p-55;
  if (x >= 0x1p48f) {
    const auto beyond = [&](float least, double scale, double high_rest, double low_rest) {
      const bool is_beyond = x >= least;
      m = kmux_choose(is_beyond, x * scale, m);
      high = kmux_choose(is_beyond, high_rest, high);
      low = kmux_choose(is_beyond, low_rest, low);
    };
    beyond(0x1p48f, 0x1p-25, 0x1.6e4e441529fc2p1, 0x1.d5f47d4d37703p-53);
    beyond(0x1p73f, 0x1p-50, 0x1.529fc2757d1f5p-2, 0x1.a6ee06db14acdp-57);
    beyond(0x1p98f, 0x1p-75, 0x1.3abe8fa9a6eep0, 0x1.b6c52b3278872p-54);
    beyond(0x1p123f, 0x1p-100, 0x1.a9a6ee06db14bp1, -0x1.9b0ef1bef806cp-54);
  }
  const double turns = m * high;
  const double lost = kmux_fma(m, low, kmux_lost(m, high, turns));
  return (turns - kmux_nearest(turns, n)) + lost;
}
KMUX_DEVICE double kmux_quarter_sin(double t) {
  const double z = t * t;
  return t * (KMUX_POLY5(z, 0x1.921fb5443ae19p0, -0x1.4abbce5633ed8p-1, 0x1.466bba7991e58p-4, -0x1.32ca7ccc6673p-8,
                         0x1.4bbfecd66ba3fp-13));
}
KMUX_DEVICE double kmux_quarter_cos(double t) {
  const double z = t * t;
  return kmux_fma(
      z, KMUX_POLY4(z, -0x1.3bd3cc7b3f73ep0, 0x1.03c1dd785f363p-2, -0x1.55c5d1409551fp-6, 0x1.d9d1499ffb4p-11), 1.0);
}
KMUX_DEVICE void kmux_sincos_in_double(float x, float* sine, float* cosine) {
  long long n;
  const double t = kmux_quarters(kmux_abs(x), n);
  const double s = kmux_quarter_sin(t), c = kmux_quarter_cos(t);
  *sine = kmux_flipped(static_cast<float>(kmux_turned(s, c, n)), x);
  *cosine = static_cast<float>(kmux_turned(s, c, n + 1));
}
// In float, for |x| < 2^15: pi/2 is split into three parts (Cody and Waite).
KMUX_DEVICE void kmux_sincos_in_float(float x, float* sine, float* cosine) {
  int n;
  const float whole = kmux_nearest(x * 0x1.45f306p-1f, n);
  float r = kmux_fma(whole, -0x1.921fb6p0f, x);
  r = kmux_fma(whole, 0x1.ee59dap-50f, kmux_fma(whole, 0x1.777a5cp-25f, r));
  const float z = r * r;
  const float s = kmux_fma(r * z, KMUX_POLY3(z, -0x1.555544p-3f, 0x1.1106ep-7f, -0x1.9929a8p-13f), r);
  const float c =
      kmux_fma(z * z, KMUX_POLY3(z, 0x1.55554ap-5f, -0x1.6c0c26p-10f, 0x1.99e70ap-16f), kmux_fma(-0.5f, z, 1.0f));
  const bool is_even = (n & 1) == 0;
  *sine = kmux_of_bits(kmux_bits(kmux_choose(is_even, s, c)) ^ (n & 2) << 30);
  *cosine = kmux_of_bits(kmux_bits(kmux_choose(is_even, c, s)) ^ ((n + 1) & 2) << 30);
}
KMUX_DEVICE void sincosf(float x, float* sine, float* cosine) {
#if defined(__FMA__) || defined(__aarch64__)
  const float a = kmux_abs(x);
  float s, c;
  if (a < 0x1p15f) {
    kmux_sincos_in_float(a, &s, &c);
    s = kmux_flipped(s, x);
  } else {
    kmux_sincos_in_double(x, &s, &c);
  }
  *sine = s, *cosine = c;
#else
  kmux_sincos_in_double(x, sine, cosine);
#endif
}
KMUX_SINE_AND_COSINE(float, sinf, cosf, sincosf)
KMUX_DEVICE float tanf(float x) {
  long long n;
  const double t = kmux_quarters(kmux_abs(x), n);
  const double s = kmux_quarter_sin(t), c = kmux_quarter_cos(t);
  const bool is_even = (n & 1) == 0;
  return kmux_flipped(static_cast<float>(kmux_choose(is_even, s, -c) / kmux_choose(is_even, c, s)), x);
}

// Returns a + b, with the rounding error in `lost`.
KMUX_DEVICE double kmux_sum(double a, double b, double& lost) {
  const double sum = a + b, part = sum - a;
  lost = (a - (sum - part)) + (b - part);
  return sum;
}
// 2/pi 2^(16 i) modulo 4, in four parts each.
static constexpr double kmux_two_over_pi[] = {
    0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55, -0x1.6447e493ad4cep-109, 0x1.e21c820ff28b2p-163,
    0x1.836e4e44152ap0,   -0x1.ec54170565912p-55, 0x1.b6c52b3278872p-113,  0x1.07f9458eaf7afp-170,
    0x1.27220a94fe13bp1,  -0x1.05c1596447e49p-53, -0x1.d6a66c3bc6fbep-108, -0x1.ae9c5421443aap-168,
    0x1.529fc2757d1f5p-4, 0x1.a6ee06db14acdp-59,  -0x1.8778df7c035d4p-113, 0x1.d5ef5de2b0db9p-167,
    0x1.fc2757d1f534ep0,  -0x1.1f924eb53361ep-55, 0x1.c820ff28b1d5fp-111,  -0x1.443a9e48db91cp-168,
    0x1.abe8fa9a6ee07p1,  -0x1.275a99b0ef1bfp-54, 0x1.fe5163abdebbcp-112,  0x1.586dc91b8e909p-166,
    0x1.f534ddc0db629p0,  0x1.664f10e4107f9p-54,  0x1.163abdebbc562p-108,  -0x1.236e4716f6c8bp-162,
    0x1.bb81b6c52b328p-1, -0x1.de37df00d74e3p-55, 0x1.7bd778ac36e49p-109,  -0x1.1c5bdb22d1ffap-164,
    0x1.b6c52b3278872p-1, 0x1.07f9458eaf7afp-58,  -0x1.d4f246dc8e2dfp-115, 0x1.374b801924bbbp-170,
    0x1.4acc9e21c821p1,   -0x1.ae9c5421443aap-56, 0x1.b7246e3a424ddp-112,  0x1.700324977504fp-167,
    0x1.3c439041fe516p0,  0x1.d5ef5de2b0db9p-55,  0x1.1b8e909374b8p-110,   0x1.924bba8274648p-166,
    0x1.c820ff28b1d5fp1,  -0x1.443a9e48db91cp-56, -0x1.6f6c8b47fe6dbp-110, -0x1.115f62e6de302p-164,
    0x1.fe5163abdebbcp0,  0x1.586dc91b8e909p-54,  0x1.ba5c00c925dd4p-109,  0x1.3a32439fc3bd6p-165,
    0x1.63abdebbc561bp0,  0x1.c91b8e909374cp-54,  -0x1.ff9b6d115f62ep-108, -0x1.b78c0788538d4p-162,
    0x1.ef5de2b0db923p1,  0x1.c74849ba5c00dp-53,  -0x1.b688afb1736f2p-107, 0x1.fc3bd63962535p-161,
    0x1.e2b0db92371d2p1,  0x1.26e9700324977p-55,  0x1.413a32439fc3cp-109,  -0x1.4e34ed658c117p-164,
    0x1.b7246e3a424ddp0,  0x1.700324977504fp-55,  -0x1.cdbc603c429c7p-109, 0x1.894d39f74411bp-163,
    0x1.b8e909374b802p-2, -0x1.b6d115f62e6dep-56, -0x1.80f10a71a76b3p-111, 0x1.cfba208d7d4bbp-166,
    0x1.2126e97003249p1,  0x1.dd413a32439fcp-53,  0x1.deb1cb129a73fp-108,  -0x1.77dca0ad144bbp-164,
    0x1.d2e006492eea1p0,  -0x1.8b9b78c078854p-54, 0x1.cb129a73ee882p-108,  0x1.afa975da24275p-163,
    0x1.924bba8274648p-6, 0x1.cfe1deb1cb12ap-60,  -0x1.63045df7282b4p-114, -0x1.44bb7b16638fep-168,
    0x1.2eea09d1921dp0,   -0x1.e214e34ed658cp-56, -0x1.177dca0ad144cp-112, 0x1.213a671c09ad1p-166,
    0x1.04e8c90e7f0efp1,  0x1.63962534e7dd1p-53,  0x1.1afa975da2427p-111,  0x1.338e04d68befdp-165,
    0x1.921cfe1deb1cbp0,  0x1.29a73ee88235fp-56,  0x1.4baed1213a672p-110,  -0x1.fb29741037d8dp-165,
    0x1.fc3bd63962535p-1, -0x1.822efb9415a29p-57, 0x1.a24274ce38136p-111,  -0x1.741037d8cdc54p-165,
    0x1.eb1cb129a73efp0,  -0x1.df7282b4512eep-54, 0x1.3a671c09ad17ep-110,  -0x1.bec66e29c67cbp-168,
    0x1.62534e7dd1047p-1, -0x1.0568a25dbd8b3p-55, -0x1.c7eca5d040df6p-111, -0x1.9b8a719f2b318p-166,
    0x1.a73ee88235f53p0,  -0x1.44bb7b16638fep-56, 0x1.ad17df904e647p-110,  0x1.639835339f49dp-164,
    0x1.74411afa975dap1,  0x1.213a671c09ad1p-54,  0x1.f7e413991d63ap-108,  -0x1.f2b3182d8dee8p-162,
    0x1.1afa975da2427p1,  0x1.338e04d68befdp-53,  -0x1.f633714e33e56p-107, -0x1.8c16c6f740e88p-161,
    0x1.2ebb4484e99c7p0,  0x1.35a2fbf209cc9p-59,  -0x1.4e33e566305b2p-115, 0x1.08bf177bf2507p-169,
    0x1.a24274ce38136p1,  -0x1.741037d8cdc54p-53, 0x1.cc1a99cfa4e42p-107,  0x1.7e2ef7e4a0ec8p-162,
    0x1.d338e04d68bfp-1,  -0x1.bec66e29c67cbp-56, 0x1.9cfa4e422fc5ep-111,  -0x1.036be27003b4p-167,
    0x1.c09ad17df904ep-2, 0x1.91d639835339fp-56,  0x1.272117e2ef7e5p-110,  -0x1.7c4e007680022p-164,
    0x1.5a2fbf209cc8fp1,  -0x1.38cf9598c16c7p-53, 0x1.17e2ef7e4a0ecp-110,  0x1.ff897ffde0598p-164,
    0x1.bf209cc8eb1ccp1,  0x1.a99cfa4e422fcp-55,  0x1.77bf250763ff1p-109,  0x1.7ffde05980fefp-164,
    0x1.3991d63983534p0,  -0x1.82d8dee81d108p-54, -0x1.b5f13801da001p-110, 0x1.e05980fef2f12p-164,
    0x1.d639835339f4ap0,  -0x1.bdd03a21036bep-55, -0x1.3801da00087eap-110, 0x1.80fef2f118b5ap-164,
    0x1.835339f49c846p0,  -0x1.d1081b5f13802p-58, 0x1.2fffbc0b301fep-113,  -0x1.a1dce94beb25cp-169,
    0x1.9cfa4e422fc5ep1,  -0x1.036be27003b4p-55,  -0x1.0fd33f8086877p-115, -0x1.d297d64b824b2p-170,
    0x1.3908bf177bf25p-1, 0x1.d8ffc4bffef03p-59,  -0x1.9fc04343b9d29p-114, -0x1.f592e092c9813p-168,
    0x1.7e2ef7e4a0ec8p-2, -0x1.da00087e99fcp-62,  -0x1.0d0ee74a5f593p-116, 0x1.f6d367ecf27cbp-172,
    0x1.defc941d8ffc5p1,  -0x1.00043f4cfe022p-53, 0x1.788c5ad05369p-107,   -0x1.25930261b069fp-161,
    0x1.283b1ff897ffep0,  -0x1.fa67f010d0ee7p-56, -0x1.297d64b824b26p-110, -0x1.30d834f648b0cp-168,
    0x1.8ffc4bffef02dp1,  -0x1.fc04343b9d298p-54, 0x1.4da3eda6cfd9ep-109,  0x1.3e584dba7a32p-163,
    0x1.2fffbc0b301fep-1, -0x1.a1dce94beb25cp-57, -0x1.25930261b069fp-113, 0x1.b74f463f669e6p-168,
    0x1.ef02cc07f7979p1,  -0x1.ce94beb25c126p-53, 0x1.b3f6793e584dcp-107,  -0x1.61738132c3403p-161,
    0x1.980fef2f118b6p0,  -0x1.7d64b824b2605p-54, 0x1.e4f96136e9e8cp-109,  0x1.fb34f2ff516bbp-163,
    0x1.f79788c5ad053p1,  0x1.a3eda6cfd9e5p-53,   -0x1.a7b24585ce04dp-107, 0x1.3cbfd45aea4f7p-161,
    0x1.88c5ad05368fbp1,  0x1.a6cfd9e4f9613p-53,  0x1.ba7a31fb34f3p-107,   -0x1.5d28ad8453814p-164,
    0x1.ad05368fb69b4p1,  -0x1.30d834f648b0cp-56, 0x1.8fd9a797fa8b6p-110,  -0x1.5b08a7028341dp-165,
    0x1.368fb69b3f679p1,  0x1.f2c26dd3d18fep-54,  -0x1.961a015d28ad8p-108, -0x1.14e050683a131p-162,
    0x1.b69b3f6793e58p1,  0x1.36e9e8c7ecd3dp-53,  -0x1.00ae9456c229cp-107, -0x1.41a0e84c2f8c6p-164,
    0x1.3f6793e584dbap1,  0x1.e8c7ecd3cbfd4p-53,  0x1.6ba93dd63f5f3p-107,  -0x1.d0985f18c10ebp-165,
    0x1.93e584dba7a32p1,  -0x1.32c3402ba515bp-57, -0x1.14e050683a131p-114, 0x1.0739f78a5292fp-168,
    0x1.84dba7a31fb35p1,  -0x1.a015d28ad8454p-56, 0x1.faf97c5ecf41dp-110,  -0x1.821d6b5b4565p-166,
    0x1.a7a31fb34f2ffp1,  0x1.45aea4f758fd8p-53,  -0x1.a0e84c2f8c608p-108, -0x1.d6b5b45650128p-162,
    0x1.1fb34f2ff516cp1,  -0x1.5b08a7028341dp-53, -0x1.30be31821d6b6p-110, 0x1.2ea6bfb5fb12p-164,
    0x1.4f2ff516ba93ep1,  -0x1.4e050683a130cp-54, 0x1.ce7de294a4baap-110,  -0x1.404a04ee072a3p-164,
    0x1.f516ba93dd63fp1,  0x1.7cbe2f67a0e74p-53,  -0x1.0eb5ada2b2809p-109, -0x1.0277039517bd5p-163,
    0x1.7527bac7ebe5fp0,  0x1.7b3d0739f78a5p-56,  0x1.497535fdafd89p-111,  -0x1.ca8bdea7f33eep-170,
};
// As kmux_quarters, for large x: x = m 2^(16 i), m an integer. In radians, with the rounding error.
KMUX_DEVICE double kmux_rest_of_great(double x, double& low, long long& n) {
  const int exponent = static_cast<int>(kmux_bits(x) >> 52) - 1023;
  const int i = exponent < 52 ? 0 : (exponent - 52) >> 4;
  const double m = x * kmux_two_to<double>(-16 * i);
  const double* const parts = kmux_two_over_pi + 4 * i;
  const double p0 = m * parts[0], p1 = m * parts[1], p2 = m * parts[2];
  const double l0 = kmux_lost(m, parts[0], p0), l1 = kmux_lost(m, parts[1], p1), l2 = kmux_lost(m, parts[2], p2);
  const auto modulo = [](double y) { return y - 4.0 * __builtin_rint(0.25 * y); };
  double a, b, c, d;
  const double sum = kmux_sum(kmux_sum(modulo(p0), modulo(l0), a), modulo(p1), b);
  const double small = kmux_sum(l1, p2, c);
  const double t = kmux_sum(sum - kmux_nearest(sum, n), small, d);
  const double rest = d + (((a + b) + c) + kmux_fma(m, parts[3], l2));
  const double high = t + rest, less = rest - (high - t), r = high * 0x1.921fb54442d18p0;
  low = kmux_lost(high, 0x1.921fb54442d18p0, r) + kmux_fma(high, 0x1.1a62633145c07p-54, less * 0x1.921fb54442d18p0);
  return r;
}
// x >= 0 minus the nearest multiple of pi/2, as a double and its rounding error: pi/2 in three parts (Cody and Waite).
KMUX_DEVICE double kmux_rest(double x, double& low, long long& n) {
  double r;
  if (x < 0x1p30) {
    const double whole = kmux_nearest(x * 0x1.45f306dc9c883p-1, n);
    const double p1 = whole * 0x1.921fb54442d18p0, p2 = whole * 0x1.1a62633145c07p-54;
    const double first = (x - p1) - kmux_lost(whole, 0x1.921fb54442d18p0, p1);
    double lost;
    const double high = kmux_sum(first, -p2, lost);
    const double rest = kmux_fma(whole, 0x1.f1976b7ed8fbcp-110, lost - kmux_lost(whole, 0x1.1a62633145c07p-54, p2));
    r = high + rest;
    low = rest - (r - high);
  } else {
    r = kmux_rest_of_great(x, low, n);
  }
  return r;
}
// The sine and the cosine of r + low, each as a sum and its rounding error.
KMUX_DEVICE double kmux_rest_sin(double r, double low, double& lost) {
  const double z = r * r;
  const double tail = kmux_fma(r * z,
                               KMUX_POLY6(z, -0x1.5555555555548p-3, 0x1.111111110f747p-7, -0x1.a01a019bedba9p-13,
                                          0x1.71de355a31aabp-19, -0x1.ae5e50109e99bp-26, 0x1.5d8ccbe457564p-33),
                               kmux_fma(-0.5 * z, low, low));
  const double sine = r + tail;
  lost = tail - (sine - r);
  return sine;
}
KMUX_DEVICE double kmux_rest_cos(double r, double low, double& lost) {
  const double z = r * r, half = 0.5 * z, head = 1.0 - half;
  const double tail = ((1.0 - head) - half) +
                      kmux_fma(z * z,
                               KMUX_POLY6(z, 0x1.555555555554bp-5, -0x1.6c16c16c15005p-10, 0x1.a01a019c8c65p-16,
                                          -0x1.27e4f7eee47d3p-22, 0x1.1ee9d99a1c66ap-29, -0x1.8fa5341562635p-37),
                               kmux_fma(-r, low, kmux_lost(r, r, z) * -0.5));
  const double cosine = head + tail;
  lost = tail - (cosine - head);
  return cosine;
}
KMUX_DEVICE void sincos(double x, double* sine, double* cosine) {
  double low, lost;
  long long n;
  const double r = kmux_rest(kmux_abs(x), low, n);
  const double s = kmux_rest_sin(r, low, lost), c = kmux_rest_cos(r, low, lost);
  *sine = kmux_flipped(kmux_turned(s, c, n), x);
  *cosine = kmux_turned(s, c, n + 1);
}
KMUX_SINE_AND_COSINE(double, sin, cos, sincos)
KMUX_DEVICE double tan(double x) {
  double low, sine_lost, cosine_lost;
  long long n;
  const double r = kmux_rest(kmux_abs(x), low, n);
  const double s = kmux_rest_sin(r, low, sine_lost), c = kmux_rest_cos(r, low, cosine_lost);
  const bool is_even = (n & 1) == 0;
  const double above = kmux_choose(is_even, s, -c), above_lost = kmux_choose(is_even, sine_lost, -cosine_lost);
  const double below = kmux_choose(is_even, c, s), below_lost = kmux_choose(is_even, cosine_lost, sine_lost);
  const double inverse = 1.0 / below, q = above * inverse, p = q * below;
  const double left = ((above - p) - kmux_lost(q, below, p)) + kmux_fma(-q, below_lost, above_lost);
  return kmux_flipped(kmux_fma(left, inverse, q), x);
}

// For x half turns: the rest modulo 4 quarter turns is exact. Adding 0 turns the -0 of a rotated zero into 0 (IEEE 754-2019).
KMUX_DEVICE double kmux_half_turns(double x) {
  const double a = kmux_abs(x);
  return 2.0 * (a - 2.0 * __builtin_rint(0.5 * a));
}
KMUX_DEVICE void sincospif(float x, float* sine, float* cosine) {
  long long n;
  const double quarters = kmux_half_turns(static_cast<double>(x)), t = quarters - kmux_nearest(quarters, n);
  const double s = kmux_quarter_sin(t), c = kmux_quarter_cos(t);
  *sine = kmux_flipped(static_cast<float>(kmux_turned(s, c, n) + 0.0), x);
  *cosine = static_cast<float>(kmux_turned(s, c, n + 1) + 0.0);
}
KMUX_DEVICE void sincospi(double x, double* sine, double* cosine) {
  long long n;
  const double quarters = kmux_half_turns(x), t = quarters - kmux_nearest(quarters, n);
  const double r = t * 0x1.921fb54442d18p0,
               low = kmux_fma(t, 0x1.1a62633145c07p-54, kmux_lost(t, 0x1.921fb54442d18p0, r));
  double lost;
  const double s = kmux_rest_sin(r, low, lost), c = kmux_rest_cos(r, low, lost);
  *sine = kmux_flipped(kmux_turned(s, c, n) + 0.0, x);
  *cosine = kmux_turned(s, c, n + 1) + 0.0;
}
KMUX_SINE_AND_COSINE(float, sinpif, cospif, sincospif)
KMUX_SINE_AND_COSINE(double, sinpi, cospi, sincospi)
#pragma float_control(pop)
KMUX_OVERLOAD_1(sin)
KMUX_OVERLOAD_1(cos)
KMUX_OVERLOAD_1(tan)
KMUX_OVERLOAD_1(sinpi)
KMUX_OVERLOAD_1(cospi)
KMUX_DEVICE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
