//! kmux
//! kernel softmax(out ok: i32[64])
//!   launch softmax<<<1, 64>>>(ok)
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void softmax(int* ok) {
  __shared__ float x[64];
  const int i = threadIdx.x;
  x[i] = sinf(i) * 10;
  __syncthreads();
  float largest = -FLT_MAX, sum = 0;
  int place = INT_MIN;
  for (int j = 0; j < 64; ++j) {
    if (x[j] > largest) {
      largest = x[j];
      place = j;
    }
  }
  assert(place >= 0 && largest > -FLT_MAX);
  for (int j = 0; j < 64; ++j) sum += expf(x[j] - largest);
  float total = 0;
  for (int j = 0; j < 64; ++j) total += expf(x[j] - largest) / sum;
  ok[i] = fabsf(total - 1) < 64 * FLT_EPSILON && place != INT_MAX && isinf(INFINITY) && isnan(NAN);
}
