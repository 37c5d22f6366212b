//! kmux
//! kernel names(out ok: i32[16])
//!   launch names<<<1, 16>>>(ok)
// No include: these names come with nvcc.
__device__ uint rotate(uint x, ushort by) { return (x << by) | (x >> (32 - by)); }

__global__ void names(int* ok) {
  const uint i = threadIdx.x;
  ulong wide = i;
  int64_t longer = INT_MAX;
  const double root = sqrt(int(i)), power = pow(2.0, int(i)), cosine = cos(M_PI);
  ok[i] = rotate(1u << 31, 1) == 1 && wide + 1 > i && longer + 1 > INT_MAX && root * root < i + .5 && power >= 1 &&
          cosine < -.99 && CHAR_BIT == 8;
}
