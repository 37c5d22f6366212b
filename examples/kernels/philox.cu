// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011): random numbers
// that are a function of a counter, so that every thread has its own without any state.
__global__ void philox(const unsigned* key, uint4* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 c = make_uint4(i, 0, 0, 0);
  unsigned k0 = key[0], k1 = key[1];
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k0, low1, high0 ^ c.w ^ k1, low0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  y[i] = c;
}
