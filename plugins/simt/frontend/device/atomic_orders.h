// SPDX-License-Identifier: Apache-2.0
// CUDA 12.8's atomics with an order and a scope. Each has at least the order that is given: acquire and release cost
// nothing on x86 and little on AArch64. One scope covers all, as for the other atomics.
#pragma once

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

template <class T>
KMUX_DEVICE T __nv_atomic_load_n(const T* address, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  return order == __NV_ATOMIC_SEQ_CST ? __atomic_load_n(address, __ATOMIC_SEQ_CST)
                                      : __atomic_load_n(address, __ATOMIC_ACQUIRE);
}
template <class T>
KMUX_DEVICE void __nv_atomic_store_n(T* address, kmux_value<T> value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_SEQ_CST) {
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n(address, value, __ATOMIC_RELEASE);
  }
}
template <class T>
KMUX_DEVICE bool __nv_atomic_compare_exchange_n(T* address, T* expected, kmux_value<T> value, bool, int, int,
                                                int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#define KMUX_ATOMIC(name, operation)                                                         \
  template <class T>                                                                         \
  KMUX_DEVICE T name(T* address, kmux_value<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM) { \
    return operation(address, value, __ATOMIC_SEQ_CST);                                      \
  }
KMUX_ATOMIC(__nv_atomic_exchange_n, __atomic_exchange_n)
KMUX_ATOMIC(__nv_atomic_fetch_add, __atomic_fetch_add)
KMUX_ATOMIC(__nv_atomic_fetch_sub, __atomic_fetch_sub)
KMUX_ATOMIC(__nv_atomic_fetch_min, __atomic_fetch_min)
KMUX_ATOMIC(__nv_atomic_fetch_max, __atomic_fetch_max)
KMUX_ATOMIC(__nv_atomic_fetch_and, __atomic_fetch_and)
KMUX_ATOMIC(__nv_atomic_fetch_or, __atomic_fetch_or)
KMUX_ATOMIC(__nv_atomic_fetch_xor, __atomic_fetch_xor)
#undef KMUX_ATOMIC
KMUX_DEVICE void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) { __atomic_thread_fence(5); }
