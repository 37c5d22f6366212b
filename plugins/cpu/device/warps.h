// The threads of a block.
#pragma once

KMUX_DEVICE void __syncthreads() { kmux_barrier(); }

// The lanes that take part in the functions of the warp while this lives.
struct kmux_masked {
  __attribute__((always_inline)) explicit kmux_masked(unsigned mask) { kmux_participants(mask); }
  __attribute__((always_inline)) ~kmux_masked() { kmux_participants(0); }
};
KMUX_DEVICE void __syncwarp(unsigned mask = ~0u) {
  const kmux_masked masked(mask);
  kmux_sync_warp();
}
KMUX_DEVICE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE int __syncthreads_count(int predicate) {
  __shared__ int count;
  kmux_barrier();
  if (kmux_thread_x() + kmux_thread_y() + kmux_thread_z() == 0) count = 0;
  kmux_barrier();
  if (predicate) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  kmux_barrier();
  return count;
}
KMUX_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
KMUX_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

// Exchange within a warp. Values of any size move in words of 32 bits.
template <class T>
KMUX_DEVICE T kmux_from_lane(T value, int lane) {
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof value);
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < sizeof words / 4; ++i) words[i] = kmux_shuffle(words[i], lane);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
template <class T>
KMUX_DEVICE T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) {
  const kmux_masked masked(mask);
  const int self = static_cast<int>(kmux_lane());
  return kmux_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <class T>
KMUX_DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const kmux_masked masked(mask);
  const int self = static_cast<int>(kmux_lane());
  const int lane = self - static_cast<int>(delta);
  return kmux_from_lane(value, lane < (self & ~(width - 1)) ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const kmux_masked masked(mask);
  const int self = static_cast<int>(kmux_lane());
  const int lane = self + static_cast<int>(delta);
  return kmux_from_lane(value, (self & (width - 1)) + static_cast<int>(delta) >= width ? self : lane);
}
template <class T>
KMUX_DEVICE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
  const kmux_masked masked(mask);
  const int self = static_cast<int>(kmux_lane());
  const int lane = self ^ lanes;
  return kmux_from_lane(value, lane >= ((self + width) & ~(width - 1)) ? self : lane);
}
KMUX_DEVICE unsigned __activemask() { return kmux_ballot(1); }
KMUX_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  const kmux_masked masked(mask);
  return kmux_ballot(predicate) & mask;
}
KMUX_DEVICE int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
KMUX_DEVICE int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
