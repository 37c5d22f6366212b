//! kmux
//! kernel add_products(a: f16[n: i32, 8], b: f16[8], inout c: f16[n, 8], rows: i32[n])
//!   example n = 4096
//!   launch add_products<<<ceildiv(n, 256), 256>>>(a, b, c, rows, n)
#include <cuda_fp16.h>
#include <stdint.h>
// Eight halves of a row that an index chooses, all at once where they are aligned, else one by one.
__global__ void add_products(const __half* a, const __half* b, __half* c, const int* rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half* const from = a + rows[i] * 8;
  __half* const to = c + rows[i] * 8;
  if (reinterpret_cast<uintptr_t>(from) % 16 != 0 || reinterpret_cast<uintptr_t>(to) % 16 != 0) {
    for (int j = 0; j < 8; ++j) to[j] += from[j] * b[j];
    return;
  }
  const uint4 x = *reinterpret_cast<const uint4*>(from), y = *reinterpret_cast<const uint4*>(b);
  uint4 z = *reinterpret_cast<const uint4*>(to);
  for (int j = 0; j < 8; ++j) {
    reinterpret_cast<__half*>(&z)[j] += reinterpret_cast<const __half*>(&x)[j] * reinterpret_cast<const __half*>(&y)[j];
  }
  *reinterpret_cast<uint4*>(to) = z;
}
