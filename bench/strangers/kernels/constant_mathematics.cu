//! kmux
//! kernel random_halves(inout counts: i32[n: i32], seed: f64, factor: f64)
//!   example n = 4096, seed = 271828183, factor = 1220703125
//!   launch random_halves<<<1, 256>>>(counts, seed, factor, n)
// A generator of 46 bits in doubles, whose constants are written as powers, as those who came from other languages do.
#define SMALL pow(0.5, 23.0)
#define TINY (SMALL * SMALL)
#define GREAT pow(2.0, 23.0)
#define HUGE_ONE (GREAT * GREAT)

__device__ double next(double* state, double factor) {
  int whole = SMALL * factor;
  const double factor_high = whole, factor_low = factor - GREAT * factor_high;
  whole = SMALL * *state;
  const double high = whole, low = *state - GREAT * high;
  const double middle = factor_high * low + factor_low * high;
  whole = SMALL * middle;
  const double rest = middle - GREAT * whole, sum = GREAT * rest + factor_low * low;
  whole = TINY * sum;
  *state = sum - HUGE_ONE * whole;
  return TINY * *state;
}

__global__ void random_halves(int* counts, double seed, double factor, int n) {
  const int share = (n + 255) / 256, first = share * threadIdx.x, last = min(first + share, n);
  double state = seed + threadIdx.x;
  for (int i = first; i < last; ++i) {
    double sum = next(&state, factor);
    sum += next(&state, factor);
    sum += next(&state, factor);
    sum += next(&state, factor);
    counts[i] = 1000 * sum;
  }
}
