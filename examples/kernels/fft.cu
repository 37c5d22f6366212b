// Fourier transforms of 512 complex numbers each, a block a transform, in shared memory (Cooley and Tukey, radix 2):
// numbers come in by the reversal of their place's bits, then nine steps with a barrier between.
constexpr int kPoints = 512, kLog = 9;

__global__ void __launch_bounds__(kPoints / 2) fft(const float2* x, float2* y) {
  __shared__ float2 points[kPoints];
  for (int i = threadIdx.x; i < kPoints; i += blockDim.x)
    points[__brev(i) >> (32 - kLog)] = x[blockIdx.x * kPoints + i];
  for (int half = 1; half < kPoints; half *= 2) {
    __syncthreads();
    const int turn = threadIdx.x % half, i = 2 * (threadIdx.x - turn) + turn;
    float sine, cosine;
    sincosf(-3.14159265f * turn / half, &sine, &cosine);
    const float2 a = points[i], b = points[i + half];
    const float2 c = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    points[i] = make_float2(a.x + c.x, a.y + c.y);
    points[i + half] = make_float2(a.x - c.x, a.y - c.y);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kPoints; i += blockDim.x) y[blockIdx.x * kPoints + i] = points[i];
}
