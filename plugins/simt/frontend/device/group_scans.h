// cooperative_groups::inclusive_scan and exclusive_scan.
#pragma once
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

// Returns the inclusive scan over a group of at most `most` threads, in log2(`most`) steps.
template <unsigned most, class G, class T, class F>
KMUX_DEVICE T kmux_scan(const G& group, T value, F& join) {
#pragma clang loop unroll(full)
  for (unsigned step = 1; step < most; step *= 2) {
    const T before = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = join(before, value);
  }
  return value;
}
// Returns the exclusive part: the result of the preceding threads, or T{} for the first.
template <class G, class T>
KMUX_DEVICE T kmux_without_own(const G& group, T all) {
  const T before = group.shfl_up(all, 1);
  return group.thread_rank() == 0 ? T{} : before;
}

template <unsigned n, class P, class T, class F = plus<T>>
KMUX_DEVICE T inclusive_scan(const thread_block_tile<n, P>& tile, T value, F join = {}) {
  return kmux_scan<n>(tile, value, join);
}
template <class T, class F = plus<T>>
KMUX_DEVICE T inclusive_scan(const coalesced_group& group, T value, F join = {}) {
  return kmux_scan<32>(group, value, join);
}
template <unsigned n, class P, class T, class F = plus<T>>
KMUX_DEVICE T exclusive_scan(const thread_block_tile<n, P>& tile, T value, F join = {}) {
  return kmux_without_own(tile, kmux_scan<n>(tile, value, join));
}
template <class T, class F = plus<T>>
KMUX_DEVICE T exclusive_scan(const coalesced_group& group, T value, F join = {}) {
  return kmux_without_own(group, kmux_scan<32>(group, value, join));
}

}  // namespace cooperative_groups
