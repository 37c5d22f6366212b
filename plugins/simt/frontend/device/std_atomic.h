// SPDX-License-Identifier: Apache-2.0
// cuda::atomic and cuda::atomic_ref, with orders. All scopes are one: the memory of a processor is the same for all of
// its threads.
#pragma once
#include <type_traits>

namespace std {

enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
};

}  // namespace std

namespace cuda {

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// The operations on the object at `place()`. The order of a failed comparison must not be one of a store.
#define KMUX_FETCH(name, builtin)                                                        \
  template <class V>                                                                     \
  KMUX_CALL T fetch_##name(V operand, memory_order order = memory_order_seq_cst) const { \
    return builtin(place(), operand, order);                                             \
  }
#define KMUX_CALL __attribute__((always_inline))
template <class Self, class T>
class kmux_atomic {
  KMUX_CALL T* place() const { return static_cast<const Self*>(this)->kmux_place(); }

 public:
  using value_type = __remove_cv(T);
  KMUX_CALL value_type load(memory_order order = memory_order_seq_cst) const {
    value_type value;
    __atomic_load(place(), &value, order);
    return value;
  }
  KMUX_CALL void store(T value, memory_order order = memory_order_seq_cst) const {
    __atomic_store(place(), &value, order);
  }
  KMUX_CALL T exchange(T value, memory_order order = memory_order_seq_cst) const {
    T before;
    __atomic_exchange(place(), &value, &before, order);
    return before;
  }
  KMUX_CALL bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order failed) const {
    return __atomic_compare_exchange(place(), &expected, &value, false, order, failed);
  }
  KMUX_CALL bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) const {
    const memory_order failed = order == memory_order_release   ? memory_order_relaxed
                                : order == memory_order_acq_rel ? memory_order_acquire
                                                                : order;
    return compare_exchange_strong(expected, value, order, failed);
  }
  template <class... Orders>
  KMUX_CALL bool compare_exchange_weak(T& expected, T value, Orders... orders) const {
    return compare_exchange_strong(expected, value, orders...);
  }
  KMUX_FETCH(add, __atomic_fetch_add)
  KMUX_FETCH(sub, __atomic_fetch_sub)
  KMUX_FETCH(and, __atomic_fetch_and)
  KMUX_FETCH(or, __atomic_fetch_or)
  KMUX_FETCH(xor, __atomic_fetch_xor)
  KMUX_FETCH(min, __atomic_fetch_min)
  KMUX_FETCH(max, __atomic_fetch_max)
  KMUX_CALL T operator+=(T value) const { return fetch_add(value) + value; }
  KMUX_CALL T operator-=(T value) const { return fetch_sub(value) - value; }
  KMUX_CALL T operator++() const { return fetch_add(1) + 1; }
  KMUX_CALL T operator++(int) const { return fetch_add(1); }
  KMUX_CALL T operator--() const { return fetch_sub(1) - 1; }
  KMUX_CALL T operator--(int) const { return fetch_sub(1); }
  KMUX_CALL operator value_type() const { return load(); }
};
#undef KMUX_FETCH

template <class T, thread_scope scope = thread_scope_system>
class atomic_ref : public kmux_atomic<atomic_ref<T, scope>, T> {
 public:
  KMUX_CALL explicit atomic_ref(T& object) : object_(&object) {}
  KMUX_CALL T* kmux_place() const { return object_; }

 private:
  T* object_;
};

template <class T, thread_scope scope = thread_scope_system>
class atomic : public kmux_atomic<atomic<T, scope>, T> {
 public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  KMUX_CALL T* kmux_place() const { return &value_; }

 private:
  mutable T value_;
};
#undef KMUX_CALL

KMUX_DEVICE void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace std {

template <class T>
using atomic = cuda::atomic<T>;
template <class T>
using atomic_ref = cuda::atomic_ref<T>;

}  // namespace std
}  // namespace cuda
