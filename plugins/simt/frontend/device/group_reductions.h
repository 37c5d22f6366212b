// cooperative_groups::reduce.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

#define KMUX_OPERATION(name, expression)                                               \
  template <class T = void>                                                            \
  struct name {                                                                        \
    __attribute__((always_inline)) T operator()(T a, T b) const { return expression; } \
  };                                                                                   \
  template <>                                                                          \
  struct name<void> {                                                                  \
    template <class T>                                                                 \
    __attribute__((always_inline)) T operator()(T a, T b) const {                      \
      return expression;                                                               \
    }                                                                                  \
  };
KMUX_OPERATION(plus, a + b)
KMUX_OPERATION(less, b < a ? b : a)
KMUX_OPERATION(greater, a < b ? b : a)
KMUX_OPERATION(bit_and, a& b)
KMUX_OPERATION(bit_or, a | b)
KMUX_OPERATION(bit_xor, a ^ b)
#undef KMUX_OPERATION

template <unsigned n, class P, class T, class F>
KMUX_DEVICE T reduce(const thread_block_tile<n, P>&, T value, F&& join) {
#pragma clang loop unroll(full)
  for (unsigned step = n / 2; step > 0; step /= 2) {
    value = join(value, kmux_from_lane(value, static_cast<int>(kmux_lane() ^ step)));
  }
  return value;
}
template <class T, class F>
KMUX_DEVICE T reduce(const coalesced_group& group, T value, F&& join) {
  return kmux_reduce(group.mask, value, join);
}

}  // namespace cooperative_groups
