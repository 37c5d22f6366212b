// The threads of a block, and those of a warp.
#pragma once

KMUX_DEVICE void __syncthreads() { kmux_barrier(); }

// The lanes that participate in warp functions during the lifetime of this object.
struct kmux_masked {
  __attribute__((always_inline)) explicit kmux_masked(kmux_lanes mask) {
    kmux_participants(static_cast<unsigned>(mask));  // needed on fibers, whose warps have 32 lanes
  }
  __attribute__((always_inline)) ~kmux_masked() { kmux_participants(0); }
};
KMUX_DEVICE void __syncwarp(kmux_lanes mask = ~kmux_lanes{}) {
  const kmux_masked masked(mask);
  kmux_sync_warp();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
KMUX_DEVICE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KMUX_DEVICE void __nanosleep(unsigned) {}

KMUX_DEVICE kmux_lanes kmux_active() { return kmux_ballot(1); }
// Returns true for the first of the active lanes.
KMUX_DEVICE bool kmux_leads() { return kmux_lane() == static_cast<unsigned>(__builtin_ctzg(kmux_active())); }

// All threads write the zero, so that exited threads count as having no predicate, whichever they are.
KMUX_DEVICE int __syncthreads_count(int predicate) {
  __shared__ int count;
  kmux_barrier();
  count = 0;
  kmux_barrier();
  const int here = __builtin_popcountg(kmux_ballot(predicate != 0));
  if (kmux_leads()) __atomic_fetch_add(&count, here, __ATOMIC_RELAXED);
  kmux_barrier();
  return count;
}
KMUX_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
KMUX_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

// Exchange within a warp. Values of any size move in 32-bit words.
template <int count>
struct kmux_words {
  __attribute__((always_inline)) static void shuffle(int* words, int lane) {
    kmux_words<count - 1>::shuffle(words, lane);
    words[count - 1] = kmux_shuffle(words[count - 1], lane);
  }
};
template <>
struct kmux_words<0> {
  __attribute__((always_inline)) static void shuffle(int*, int) {}
};
template <class T>
KMUX_DEVICE T kmux_from_lane(T value, int lane) {
  constexpr int count = (sizeof(T) + 3) / 4;
  int words[count] = {};
  __builtin_memcpy(words, &value, sizeof value);
  kmux_words<count>::shuffle(words, lane);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
// The source lanes of shuffles, as in CUDA: a lane outside the segment means the own lane.
KMUX_DEVICE int kmux_lane_at(int lane, int width) {
  return (lane & (width - 1)) | (static_cast<int>(kmux_lane()) & ~(width - 1));
}
KMUX_DEVICE int kmux_lane_up(unsigned delta, int width) {
  const int self = static_cast<int>(kmux_lane());
  const int lane = self - static_cast<int>(delta);
  return lane < (self & ~(width - 1)) ? self : lane;
}
KMUX_DEVICE int kmux_lane_down(unsigned delta, int width) {
  const int self = static_cast<int>(kmux_lane());
  return (self & (width - 1)) + static_cast<int>(delta) >= width ? self : self + static_cast<int>(delta);
}
KMUX_DEVICE int kmux_lane_xor(int mask, int width) {
  const int self = static_cast<int>(kmux_lane());
  const int lane = self ^ mask;
  return lane >= ((self + width) & ~(width - 1)) ? self : lane;
}
template <class T>
KMUX_DEVICE T __shfl_sync(kmux_lanes mask, T value, int lane, int width = warpSize) {
  const kmux_masked masked(mask);
  return kmux_from_lane(value, kmux_lane_at(lane, width));
}
template <class T>
KMUX_DEVICE T __shfl_up_sync(kmux_lanes mask, T value, unsigned delta, int width = warpSize) {
  const kmux_masked masked(mask);
  return kmux_from_lane(value, kmux_lane_up(delta, width));
}
template <class T>
KMUX_DEVICE T __shfl_down_sync(kmux_lanes mask, T value, unsigned delta, int width = warpSize) {
  const kmux_masked masked(mask);
  return kmux_from_lane(value, kmux_lane_down(delta, width));
}
template <class T>
KMUX_DEVICE T __shfl_xor_sync(kmux_lanes mask, T value, int lanes, int width = warpSize) {
  const kmux_masked masked(mask);
  return kmux_from_lane(value, kmux_lane_xor(lanes, width));
}

KMUX_DEVICE kmux_lanes __activemask() { return kmux_active(); }
KMUX_DEVICE kmux_lanes __ballot_sync(kmux_lanes mask, int predicate) {
  const kmux_masked masked(mask);
  return kmux_ballot(predicate != 0) & mask;
}
KMUX_DEVICE int __any_sync(kmux_lanes mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
KMUX_DEVICE int __all_sync(kmux_lanes mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
KMUX_DEVICE int __uni_sync(kmux_lanes mask, int predicate) {
  const kmux_lanes has = __ballot_sync(mask, predicate);
  return has == 0 || has == (kmux_active() & mask);
}

template <class T>
KMUX_DEVICE bool kmux_same_bits(T a, T b) {
  return a == b;
}
KMUX_DEVICE bool kmux_same_bits(float a, float b) {
  return __builtin_bit_cast(unsigned, a) == __builtin_bit_cast(unsigned, b);
}
KMUX_DEVICE bool kmux_same_bits(double a, double b) {
  return __builtin_bit_cast(unsigned long long, a) == __builtin_bit_cast(unsigned long long, b);
}
// One round for each distinct value.
template <class T>
KMUX_DEVICE kmux_lanes __match_any_sync(kmux_lanes mask, T value) {
  const kmux_masked masked(mask);
  kmux_lanes same = 0;
  for (kmux_lanes left = kmux_active(); left != 0;) {
    const bool has = kmux_same_bits(value, kmux_from_lane(value, __builtin_ctzg(left)));
    const kmux_lanes lanes = kmux_ballot(has);
    if (has) same = lanes;
    left &= ~lanes;
  }
  return same & mask;
}
template <class T>
KMUX_DEVICE kmux_lanes __match_all_sync(kmux_lanes mask, T value, int* predicate) {
  const kmux_masked masked(mask);
  const kmux_lanes here = kmux_active() & mask;
  const T first = kmux_from_lane(value, __builtin_ctzg(here, 0));  // a mask may name no active lane
  const bool differs = !kmux_same_bits(value, first);
  *predicate = (kmux_ballot(differs) & mask) == 0;
  return *predicate ? here : 0;
}

// Reduces a value over all lanes of a mask. With all lanes of the warp active it takes five steps, else one step per lane.
template <class T, class F>
KMUX_DEVICE T kmux_reduce(kmux_lanes mask, T value, F join) {
  const kmux_masked masked(mask);
  if (kmux_active() == ~kmux_lanes{} && kmux_ballot(mask != ~kmux_lanes{}) == 0) {
#pragma clang loop unroll(full)
    for (int step = KMUX_WAVEFRONT / 2; step > 0; step /= 2)
      value = join(value, kmux_from_lane(value, kmux_lane() ^ step));
    return value;
  }
  const kmux_lanes here = kmux_active();
  const int first = __builtin_ctzg(here & mask, 0);
  T all = kmux_from_lane(value, first);
  for (kmux_lanes left = here; left != 0; left &= left - 1) {
    const int lane = __builtin_ctzg(left);
    const T other = kmux_from_lane(value, lane);
    if (lane != first && ((mask >> lane) & 1) != 0) all = join(all, other);
  }
  return all;
}
#define KMUX_REDUCE(name, expression)                                                          \
  template <class T>                                                                           \
  KMUX_DEVICE auto name(kmux_lanes mask, T value) {                                            \
    using Number = decltype(+value);                                                           \
    return kmux_reduce(mask, +value, [](Number a, Number b) -> Number { return expression; }); \
  }
KMUX_REDUCE(__reduce_add_sync, static_cast<Number>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
KMUX_REDUCE(__reduce_min_sync, a < b ? a : b)
KMUX_REDUCE(__reduce_max_sync, a > b ? a : b)
KMUX_REDUCE(__reduce_and_sync, a& b)
KMUX_REDUCE(__reduce_or_sync, a | b)
KMUX_REDUCE(__reduce_xor_sync, a ^ b)
#undef KMUX_REDUCE
