// CUDA's fast intrinsics for float, within the error bounds of its manual (CUDA C++ Programming Guide, Intrinsic Functions).
#pragma once

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// 2^x, without denormals.
KMUX_DEVICE float kmux_fast_exp2(float x) {
  int n;
  const float y = kmux_clamp(x, -126.0f, 127.5f);
  const float r = y - kmux_nearest(y, n);
  const float power = kmux_of_bits(kmux_bits(KMUX_POLY6(r, 0x1.000002p0f, 0x1.62e42ap-1f, 0x1.ebf8acp-3f,
                                                        0x1.c6b574p-5f, 0x1.3d22aep-7f, 0x1.5ca7c2p-10f)) +
                                   (n << 23));
  return kmux_choose(x < -126.0f, 0.0f, kmux_choose(x >= 128.0f, __builtin_inff(), power));
}
KMUX_DEVICE float __expf(float x) { return kmux_fast_exp2(x * 0x1.715476p0f); }
KMUX_DEVICE float __exp10f(float x) { return kmux_fast_exp2(x * 0x1.a934fp1f); }
KMUX_DEVICE float __powf(float x, float y) { return kmux_fast_exp2(y * log2f(x)); }
// Same as the exact ones below 2^15; above, CUDA guarantees nothing.
KMUX_DEVICE void __sincosf(float x, float* sine, float* cosine) { kmux_sincos_in_float(x, sine, cosine); }
KMUX_SINE_AND_COSINE(float, __sinf, __cosf, __sincosf)
KMUX_DEVICE float __tanf(float x) {
  float sine, cosine;
  return __sincosf(x, &sine, &cosine), sine / cosine;
}
#pragma float_control(pop)
KMUX_DEVICE float __logf(float x) { return logf(x); }
KMUX_DEVICE float __log2f(float x) { return log2f(x); }
KMUX_DEVICE float __log10f(float x) { return log10f(x); }
