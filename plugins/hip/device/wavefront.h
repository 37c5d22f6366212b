// What the threads of a wavefront do together.
#pragma once

// Exchange within a wavefront. Values of any size move in words of 32 bits.
KMUX_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
template <class T>
KMUX_DEVICE T kmux_from_lane(T value, int lane) {
  union {
    T value;
    int words[(sizeof(T) + 3) / 4];
  } all = {value};
  for (int& word : all.words) word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
  return all.value;
}
template <class T>
KMUX_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  return kmux_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <class T>
KMUX_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  const int lane = self - static_cast<int>(delta);
  return kmux_from_lane(value, lane < (self & ~(width - 1)) ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  const int lane = self + static_cast<int>(delta);
  return kmux_from_lane(value, (self & (width - 1)) + static_cast<int>(delta) >= width ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  const int self = static_cast<int>(__lane_id());
  const int lane = self ^ mask;
  return kmux_from_lane(value, lane >= ((self + width) & ~(width - 1)) ? self : lane);
}
KMUX_DEVICE unsigned long long __ballot(int predicate) {
  constexpr int kNotEqual = 33;  // of LLVM's ICmpInst
  return __builtin_amdgcn_uicmp(static_cast<unsigned>(predicate), 0u, kNotEqual);
}
KMUX_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
KMUX_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }
KMUX_DEVICE unsigned long long __activemask() { return __ballot(1); }

// CUDA's forms have a mask of 32 lanes.
#define KMUX_MASKED KMUX_REFUSED("a wavefront may have 64 threads: use the form without _sync")
#define KMUX_MASKED_VALUE(name, ...) \
  template <class T>                 \
  KMUX_MASKED T name(unsigned long long mask, T value, ##__VA_ARGS__);
KMUX_MASKED_VALUE(__shfl_sync, int lane, int width = warpSize)
KMUX_MASKED_VALUE(__shfl_up_sync, unsigned delta, int width = warpSize)
KMUX_MASKED_VALUE(__shfl_down_sync, unsigned delta, int width = warpSize)
KMUX_MASKED_VALUE(__shfl_xor_sync, int lanes, int width = warpSize)
KMUX_MASKED_VALUE(__reduce_add_sync)
KMUX_MASKED_VALUE(__reduce_min_sync)
KMUX_MASKED_VALUE(__reduce_max_sync)
KMUX_MASKED_VALUE(__reduce_and_sync)
KMUX_MASKED_VALUE(__reduce_or_sync)
KMUX_MASKED_VALUE(__reduce_xor_sync)
#undef KMUX_MASKED_VALUE
template <class T>
KMUX_MASKED unsigned long long __match_any_sync(unsigned long long mask, T value);
template <class T>
KMUX_MASKED unsigned long long __match_all_sync(unsigned long long mask, T value, int* predicate);
KMUX_MASKED unsigned long long __ballot_sync(unsigned long long mask, int predicate);
KMUX_MASKED int __any_sync(unsigned long long mask, int predicate);
KMUX_MASKED int __all_sync(unsigned long long mask, int predicate);
KMUX_MASKED int __uni_sync(unsigned long long mask, int predicate);
KMUX_REFUSED("a wavefront runs in lockstep: use __syncthreads") void __syncwarp(unsigned long long mask = ~0ull);
#undef KMUX_MASKED
