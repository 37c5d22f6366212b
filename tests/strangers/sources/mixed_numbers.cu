//! kmux
//! kernel compute(out values: f64[16], out ok: i32[16])
//!   launch compute<<<1, 1>>>(values)
//!   launch compare<<<1, 16>>>(values, ok)
// Functions of a float and a double, and of whole numbers, compute in double as in C++.
#include <cmath>

__global__ void compute(double* values) {
  volatile float third = 1.0f / 3.0f, two = 2.0f;
  volatile double half = 0.5, tenth = 0.1;
  volatile int three = 3;
  values[0] = fmax(third, tenth);
  values[1] = fmin(half, third);
  values[2] = pow(two, tenth) - pow(2.0, 0.1);
  values[3] = pow(three, three);
  values[4] = fmod(third, tenth);
  values[5] = atan2(two, half) - atan2(2.0, 0.5);
  values[6] = hypot(two * 1.5f, 4.0);
  values[7] = copysign(third, -tenth);
  values[8] = fmax(three, two);
  values[9] = fmin(three, 4);
  values[10] = fdim(two, tenth);
  values[11] = remainder(third, tenth);
  values[12] = fma(two, tenth, three);
  values[13] = std::fmax(tenth, third);
  values[14] = std::pow(two, half) - sqrt(2.0);
  values[15] = fma(third, third, tenth);
}

__global__ void compare(const double* values, int* ok) {
  const double third = 1.0f / 3.0f;
  const double expected[] = {third, third, 0, 27, third - 3 * 0.1, 0, 5, -third, 3, 3, 1.9, third - 3 * 0.1, 3.2, third, 0, third * third + 0.1};
  ok[threadIdx.x] = fabs(values[threadIdx.x] - expected[threadIdx.x]) < 1e-15 * (1 + fabs(expected[threadIdx.x]));
}
