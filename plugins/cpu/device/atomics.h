// Atomics over memory of the device and of the block; each gives what was there before. Values convert to the type of the
#pragma once

// memory, as they do for CUDA's overloads.
template <class T>
struct kmux_type_of {
  using type = T;
};
template <class T>
using kmux_value = typename kmux_type_of<T>::type;
#define KMUX_ATOMIC(name, operation)                    \
  template <class T>                                    \
  KMUX_DEVICE T name(T* address, kmux_value<T> value) { \
    return operation(address, value, __ATOMIC_RELAXED); \
  }
KMUX_ATOMIC(atomicAdd, __atomic_fetch_add)
KMUX_ATOMIC(atomicSub, __atomic_fetch_sub)
KMUX_ATOMIC(atomicMin, __atomic_fetch_min)
KMUX_ATOMIC(atomicMax, __atomic_fetch_max)
KMUX_ATOMIC(atomicAnd, __atomic_fetch_and)
KMUX_ATOMIC(atomicOr, __atomic_fetch_or)
KMUX_ATOMIC(atomicXor, __atomic_fetch_xor)
#undef KMUX_ATOMIC
template <class T>
KMUX_DEVICE T atomicExch(T* address, kmux_value<T> value) {
  T before;
  __atomic_exchange(address, &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class T>
KMUX_DEVICE T atomicCAS(T* address, kmux_value<T> expected, kmux_value<T> value) {
  __atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
KMUX_DEVICE unsigned atomicInc(unsigned* address, unsigned limit) {
  unsigned before = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &before, before >= limit ? 0 : before + 1, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}
KMUX_DEVICE unsigned atomicDec(unsigned* address, unsigned limit) {
  unsigned before = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &before, before == 0 || before > limit ? limit : before - 1, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
