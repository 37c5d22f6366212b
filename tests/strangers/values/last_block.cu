//! kmux
//! program ticket(inout wrong: i32[1])
//!   workspace parts: 256 bytes
//!   workspace state: 16 bytes
//!   workspace result: 4 bytes
//!   launch begin<<<1, 4>>>(state)
//!   launch sum<<<64, 256>>>(parts, state, result)
//!   launch sum<<<64, 256>>>(parts, state, result)
//!   launch compare<<<1, 1>>>(result, wrong)
// The last block to come, as an atomic tells it, adds up what all others have written.
__global__ void begin(unsigned* state) { state[threadIdx.x] = 0; }
__global__ void sum(float* parts, unsigned* state, float* result) {
  __shared__ float s[256];
  __shared__ bool is_last;
  const unsigned t = threadIdx.x;
  s[t] = float((blockIdx.x * 256 + t) % 16);
  __syncthreads();
  for (unsigned d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(state, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  float all = 0;
  for (unsigned i = t; i < gridDim.x; i += 256) all += parts[i];
  s[t] = all;
  __syncthreads();
  for (unsigned d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *result = s[0];
}
__global__ void compare(const float* result, int* wrong) { wrong[0] = *result == 64 * 256 * 7.5f ? 0 : 1; }
