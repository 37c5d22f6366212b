//! kmux
//! kernel taken_macros(inout y: f32[n: i32])
//!   example n = 100
//!   launch count<N><<<ceildiv(n, 64), 64>>>(y, n)
// Macros with the names that a template's parameters like to have.
// means: void count<8>(float*, int)
// in ready code: count<8>
#define N 8
#define T float
#define F 1
#define K 2
#define value 3
template <int kCount>
__global__ void count(T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kCount == N ? 1.0f : 2.0f;
}
