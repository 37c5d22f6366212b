//! kmux
//! program votes(inout wrong: i32[1])
//!   workspace out: 2048 bytes
//!   launch some<<<1, 48>>>(out)
//!   launch compare<<<1, 1>>>(out, wrong)
// Votes, matches and sums of a warp whose other lanes are not there (a block of 48), have ended, or are elsewhere.
__global__ void some(unsigned* out) {
  const unsigned lane = threadIdx.x % 32, mask = threadIdx.x < 32 ? 0xffffffffu : 0xffffu;
  unsigned* const own = out + threadIdx.x * 8;
  own[0] = __ballot_sync(mask, lane % 2 == 0);
  own[1] = __any_sync(mask, lane == 15) + 2 * __all_sync(mask, lane < 16);
  own[2] = __match_any_sync(mask, lane / 4);
  int is_same = 0;
  own[3] = __match_all_sync(mask, 7, &is_same) + is_same;
  own[4] = __shfl_sync(mask, lane, 15) + __shfl_up_sync(mask, lane, 1);
  if (lane >= 12) return;
  own[5] = __ballot_sync(0xfffu, lane >= 4);
  if (lane < 4) own[6] = __match_any_sync(0xfu, lane & 1);
  own[7] = __any_sync(0xfffu, lane == 11) + 2 * __all_sync(0xfffu, lane < 12) + __popc(__activemask());
}
__global__ void compare(const unsigned* out, int* wrong) {
  int count = 0;
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned* const own = out + i * 8;
    const unsigned lane = i % 32, mask = i < 32 ? 0xffffffffu : 0xffffu;
    count += own[0] != (0x55555555u & mask);
    count += own[1] != (i < 32 ? 1u : 3u);
    count += own[2] != 0xfu << (lane / 4 * 4);
    count += own[3] != mask + 1;
    count += own[4] != 15 + (lane == 0 ? 0 : lane - 1);
    if (lane >= 12) continue;
    count += own[5] != 0xff0u;
    if (lane < 4) count += own[6] != 0x5u << (lane & 1);
    count += own[7] != 3 + 12;
  }
  wrong[0] = count;
}
