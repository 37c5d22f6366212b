//! kmux
//! kernel sum(inout wrong: i32[1])
//!   launch sum<<<1, 64>>>(wrong)
// The last steps of a tree of sums, warp-synchronous. __syncthreads() must not stand there: the other warp never comes.
// check: Put __syncwarp() between the two.
__global__ void sum(int* wrong) {
  __shared__ int s[64];
  const int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  if (i < 32) {
    s[i] += s[i + 32];
    if (s[i ^ 16] != 2 * (i ^ 16) + 32) atomicAdd(wrong, 1);
  }
}
