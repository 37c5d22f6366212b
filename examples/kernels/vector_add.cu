//! kmux
//! kernel vector_add(x: f32[n: i32], y: f32[n], out z: f32[n])
//!   description "the sum of two vectors"
//!   reference "z = x + y"
//!   example n = 1000000
//!   flops n
//!   bytes n * 12
//!   launch vector_add<<<ceildiv(n, 256), 256>>>(x, y, z, n)
// One thread an element; the last block has threads to spare.
__global__ void vector_add(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
