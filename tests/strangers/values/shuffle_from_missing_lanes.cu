//! kmux
//! program sums(inout wrong: i32[1])
//!   workspace out: 1024 bytes
//!   launch clear<<<1, 256>>>(out)
//!   launch whole<int><<<1, 16>>>(out, 0)
//!   launch whole<float><<<1, 16>>>(out, 1)
//!   launch first_eight<<<1, 64>>>(out)
//!   launch ended<<<1, 32>>>(out)
//!   launch half<<<1, 32>>>(out)
//!   launch wide<<<1, 20>>>(out)
//!   launch votes<<<1, 32>>>(out)
//!   launch compare<<<1, 1>>>(out, wrong)
// What a shuffle takes from a lane that does not take part is undefined. Code in use adds it all the same, and a GPU gives it 0: a
// block of 16 threads that adds up over 32 lanes, eight lanes that do so behind a branch, a lane that has ended.
// check: does not take part
__global__ void clear(int* out) { out[threadIdx.x] = -1; }
template <typename T>
__global__ void whole(int* out, int at) {
  T sum = T(threadIdx.x + 1);
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  if (threadIdx.x == 0) out[at] = int(sum);
}
// Lanes 0 to 7 take the branch; the others have 1000, which theirs is not to be mixed with.
__global__ void first_eight(int* out) {
  __shared__ int s[8];
  if (threadIdx.x < 8) s[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 8);
  int sum = 1000;
  if (threadIdx.x < 8) {
    sum = s[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(mask, sum, distance);
  }
  if (threadIdx.x < 16) out[16 + threadIdx.x] = sum;
}
// Lanes 24 to 31 have ended when the others read from them.
__global__ void ended(int* out) {
  if (threadIdx.x >= 24) return;
  int sum = out[128 + threadIdx.x] + 2;  // 1, which no compiler knows
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0x00ffffff, sum, distance);
  if (threadIdx.x == 0) out[2] = sum;
}
// What lanes 16 to 31 had before is not what they give.
__global__ void half(int* out) {
  int sum = threadIdx.x + 1;
  if (threadIdx.x < 16) sum += __shfl_down_sync(0xffff, sum, 16);
  if (threadIdx.x == 5) out[4] = sum;
  if (threadIdx.x == 20) out[5] = sum;
}
// Two words a value.
__global__ void wide(int* out) {
  double sum = threadIdx.x + 0.25;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0x000fffff, sum, distance);
  if (threadIdx.x == 0) out[3] = int(sum * 4);
}
// A full mask where eight lanes come: those that are there count.
__global__ void votes(int* out) {
  if (threadIdx.x >= 8) return;
  const unsigned all = 0xffffffff;
  const int has = __ballot_sync(all, 1) + (__any_sync(all, threadIdx.x == 7) << 8) + (__all_sync(all, threadIdx.x < 8) << 9);
  const int same = __match_any_sync(all, 5), first = __shfl_up_sync(all, int(threadIdx.x) + 40, 1);
  if (threadIdx.x == 0) out[6] = has, out[7] = same, out[8] = first;
  if (threadIdx.x == 7) out[9] = first;
}
__global__ void compare(const int* out, int* wrong) {
  int count = 0;
  count += out[0] != 136;
  count += out[1] != 136;
  count += out[2] != 24;
  count += out[3] != 4 * 190 + 20;
  count += out[4] != 6;
  count += out[5] != 21;
  count += out[6] != 255 + 256 + 512;
  count += out[7] != 255;
  count += out[8] != 40;
  count += out[9] != 46;
  count += out[16] != 36;
  for (int i = 8; i < 16; ++i) count += out[16 + i] != 1000;
  wrong[0] = count;
}
