// cuda::barrier of the threads of a block, in shared memory, and asynchronous copies that complete there. The barrier is
// an mbarrier; a copy completes at the call.
#pragma once
#include <utility>

#include <cuda/atomic>

#include <kmux/copies.h>
#include <kmux/mbarriers.h>

namespace cuda {

template <size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

struct kmux_no_completion {};

template <thread_scope scope, class Completion = kmux_no_completion>
class barrier {
  static_assert(scope == thread_scope_block || scope == thread_scope_thread,
                "not for this processor (a cuda::barrier of threads of several blocks)");
  static_assert(__is_same(Completion, kmux_no_completion),
                "not for this processor (a cuda::barrier with a completion function)");

 public:
  class arrival_token {
   public:
    arrival_token() = default;
    explicit arrival_token(__mbarrier_token_t kmux_token) : kmux_token(kmux_token) {}
    __mbarrier_token_t kmux_token;
  };

  barrier() = default;
  __attribute__((always_inline)) explicit barrier(ptrdiff_t expected, Completion = {}) {
    __mbarrier_init(&kmux_word, static_cast<unsigned>(expected));
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  friend __attribute__((always_inline)) void init(barrier* b, ptrdiff_t expected, Completion = {}) {
    __mbarrier_init(&b->kmux_word, static_cast<unsigned>(expected));
  }
  static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

  __attribute__((always_inline)) arrival_token arrive(ptrdiff_t update = 1) {
    return arrival_token(kmux_mbarrier_arrive(&kmux_word, static_cast<unsigned>(update)));
  }
  __attribute__((always_inline)) bool try_wait(arrival_token&& token) {
    return kmux_mbarrier_try_wait(&kmux_word, token.kmux_token);
  }
  __attribute__((always_inline)) bool try_wait_parity(bool parity) {
    return kmux_mbarrier_try_parity(&kmux_word, parity);
  }
  // A limit of time means nothing: a wait ends, or nothing else can run.
  template <class Duration>
  __attribute__((always_inline)) bool try_wait_for(arrival_token&& token, const Duration&) {
    return try_wait(static_cast<arrival_token&&>(token));
  }
  template <class Duration>
  __attribute__((always_inline)) bool try_wait_parity_for(bool parity, const Duration&) {
    return try_wait_parity(parity);
  }
  __attribute__((always_inline)) void wait(arrival_token&& token) {
    while (!kmux_mbarrier_try_wait(&kmux_word, token.kmux_token)) continue;
  }
  __attribute__((always_inline)) void wait_parity(bool parity) {
    while (!kmux_mbarrier_try_parity(&kmux_word, parity)) continue;
  }
  __attribute__((always_inline)) void arrive_and_wait() { wait(arrive()); }
  __attribute__((always_inline)) void arrive_and_drop() { __mbarrier_arrive_and_drop(&kmux_word); }

  __mbarrier_t kmux_word;
};

namespace device {

using kmux_barrier_of_block = barrier<thread_scope_block>;

KMUX_DEVICE uint64_t* barrier_native_handle(kmux_barrier_of_block& b) { return &b.kmux_word; }
KMUX_DEVICE void barrier_expect_tx(kmux_barrier_of_block& b, ptrdiff_t bytes) {
  kmux_mbarrier_expect(&b.kmux_word, static_cast<unsigned>(bytes));
}
KMUX_DEVICE kmux_barrier_of_block::arrival_token barrier_arrive_tx(kmux_barrier_of_block& b, ptrdiff_t arrivals,
                                                                   ptrdiff_t bytes) {
  barrier_expect_tx(b, bytes);
  return b.arrive(arrivals);
}

}  // namespace device

// Copies that complete at `Where`, a barrier or a pipeline. `bytes`: a number, or an object whose type states the common
// alignment.
enum class async_contract_fulfillment { none, async };
template <class>
inline constexpr bool kmux_completes = false;
template <thread_scope scope, class Completion>
inline constexpr bool kmux_completes<barrier<scope, Completion>> = true;

template <class G, class T, class Size, class Where>
  requires(kmux_completes<Where>)
KMUX_DEVICE async_contract_fulfillment memcpy_async(const G& group, T* to, const T* from, const Size& bytes, Where&) {
  kmux_copy<kmux_pointee<T>::alignment>(group, to, from, static_cast<size_t>(bytes));
  return async_contract_fulfillment::none;
}
template <class T, class Size, class Where>
  requires(kmux_completes<Where>)
KMUX_DEVICE async_contract_fulfillment memcpy_async(T* to, const T* from, const Size& bytes, Where& where) {
  return memcpy_async(kmux_alone(), to, from, bytes, where);
}

}  // namespace cuda
