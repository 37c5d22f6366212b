// The place of the largest element by one atomic: a float's bits, mapped so that integers order as the floats do,
// stand above the place's complement, so that of equal ones the first wins.
__global__ void find_largest(const float* x, unsigned long long* best, int n) {
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bits = __float_as_uint(x[i]);
    const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    const unsigned long long packed = static_cast<unsigned long long>(ordered) << 32 | ~static_cast<unsigned>(i);
    mine = packed > mine ? packed : mine;
  }
  atomicMax(best, mine);
}

__global__ void unpack(const unsigned long long* best, int* place) {
  *place = static_cast<int>(~static_cast<unsigned>(*best));
}
