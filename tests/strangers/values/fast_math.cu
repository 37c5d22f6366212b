//! kmux
//! program approximate(inout wrong: i32[1])
//!   fast_math
//!   workspace out: 256 bytes
//!   launch compute<<<1, 32>>>(out)
//!   launch compare<<<1, 1>>>(out, wrong)
// With fast_math functions may be approximate and products may be joined with sums; what is infinite, or no number, stays so.
__global__ void compute(float* out) {
  if (threadIdx.x != 0) return;
  volatile float half = 0.5f, one = 1.0f, big = 30.0f;
  out[0] = sinf(half);
  out[1] = cosf(one);
  out[2] = powf(one + half, half + one);
  out[3] = exp2f(one + half);
  out[4] = tanhf(one + half + half / 2);
  out[5] = __expf(one + one);
  out[6] = logf(big);
  out[7] = expf(-half);
  // A running maximum, from nothing, and what is left of it.
  float most = __int_as_float(0xff800000), sum = 0;  // -infinity
  for (int i = 0; i < 8; ++i) {
    const float x = i * half - one, next = fmaxf(most, x);
    sum = sum * expf(most - next) + expf(x - next);
    most = next;
  }
  out[8] = most;
  out[9] = sum;
  volatile float none = __int_as_float(0xff800000), zero = 0;
  out[10] = isinf(none) ? 1.0f : 0.0f;
  out[11] = isnan(zero * none) ? 1.0f : 0.0f;
  out[12] = none < -1e30f ? 1.0f : 0.0f;
  out[13] = expf(none);
}
__global__ void compare(const float* out, int* wrong) {
  const float right[14] = {0.479425539f, 0.540302306f, 1.83711731f, 2.82842712f, 0.941375536f, 7.38905610f, 3.40119738f,
                           0.606530660f, 2.5f,         2.49494231f, 1.0f,        1.0f,         1.0f,        0.0f};
  int count = 0;
  for (int i = 0; i < 14; ++i) {
    const float difference = out[i] - right[i], size = right[i] < 0 ? -right[i] : right[i];
    count += !((difference < 0 ? -difference : difference) <= 1e-3f * (size + 0.001f));
  }
  wrong[0] = count;
}
