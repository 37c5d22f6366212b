// cuda::pipeline of one thread or of a block. Copies complete at the call, so a pipeline of one thread does nothing, and
// one of a block consists of two mbarriers for each stage.
#pragma once
#include <kmux/barriers.h>

namespace cuda {

enum class pipeline_role { producer, consumer };

// The barriers of a pipeline: those at which producers arrive with a stage, and those at which consumers give it back.
template <thread_scope scope, unsigned char stages>
struct pipeline_shared_state {
  static_assert(scope == thread_scope_block || scope == thread_scope_thread,
                "not for this processor (a cuda::pipeline of threads of several blocks)");
  barrier<thread_scope_block> kmux_full[stages], kmux_empty[stages];
  unsigned kmux_producers, kmux_threads;
};

template <thread_scope scope>
class pipeline;

template <>
class pipeline<thread_scope_thread> {
 public:
  KMUX_DEVICE void producer_acquire() {}
  KMUX_DEVICE void producer_commit() {}
  KMUX_DEVICE void consumer_wait() {}
  KMUX_DEVICE void consumer_release() {}
  KMUX_DEVICE bool quit() { return true; }
};
KMUX_DEVICE pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <unsigned char prior>
KMUX_DEVICE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {}
template <thread_scope scope>
KMUX_DEVICE void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<scope>&) {}

template <>
class pipeline<thread_scope_block> {
 public:
  __attribute__((always_inline)) pipeline(barrier<thread_scope_block>* full, barrier<thread_scope_block>* empty,
                                          unsigned* threads, unsigned stages)
      : full_(full), empty_(empty), threads_(threads), stages_(stages) {}
  pipeline(pipeline&&) = delete;
  pipeline& operator=(pipeline&&) = delete;
  __attribute__((always_inline)) ~pipeline() { quit(); }

  // A stage that has not been used yet counts as given back.
  __attribute__((always_inline)) void producer_acquire() { empty_[head_].wait_parity(!head_parity_); }
  __attribute__((always_inline)) void producer_commit() {
    full_[head_].arrive();
    step(head_, head_parity_);
  }
  __attribute__((always_inline)) void consumer_wait() { full_[tail_].wait_parity(tail_parity_); }
  __attribute__((always_inline)) void consumer_release() {
    empty_[tail_].arrive();
    step(tail_, tail_parity_);
  }
  // Returns true for the last thread that leaves.
  __attribute__((always_inline)) bool quit() {
    if (threads_ == nullptr) return false;
    const bool is_last = __atomic_fetch_sub(threads_, 1, __ATOMIC_SEQ_CST) == 1;
    threads_ = nullptr;
    return is_last;
  }

 private:
  __attribute__((always_inline)) void step(unsigned& stage, bool& parity) const {
    stage = stage + 1 < stages_ ? stage + 1 : 0;
    if (stage == 0) parity = !parity;
  }

  barrier<thread_scope_block>*full_, *empty_;
  unsigned* threads_;
  unsigned stages_, head_ = 0, tail_ = 0;
  bool head_parity_ = false, tail_parity_ = false;
};

// Each thread of the group comes here. All of them produce and consume if `producers` is their number.
template <class G, thread_scope scope, unsigned char stages>
KMUX_DEVICE void kmux_begin_pipeline(const G& group, pipeline_shared_state<scope, stages>* state, unsigned producers,
                                     unsigned consumers) {
  if (group.thread_rank() == 0) {
    for (unsigned i = 0; i < stages; ++i) init(&state->kmux_full[i], producers), init(&state->kmux_empty[i], consumers);
    state->kmux_threads = static_cast<unsigned>(group.size());
  }
  group.sync();
}
template <class G, thread_scope scope, unsigned char stages>
KMUX_DEVICE pipeline<scope> make_pipeline(const G& group, pipeline_shared_state<scope, stages>* state) {
  const unsigned all = static_cast<unsigned>(group.size());
  if constexpr (scope == thread_scope_thread)
    return {};
  else {
    kmux_begin_pipeline(group, state, all, all);
    return {state->kmux_full, state->kmux_empty, &state->kmux_threads, stages};
  }
}
// The first `producers` threads of the group produce.
template <class G, thread_scope scope, unsigned char stages>
KMUX_DEVICE pipeline<scope> make_pipeline(const G& group, pipeline_shared_state<scope, stages>* state,
                                          size_t producers) {
  kmux_begin_pipeline(group, state, static_cast<unsigned>(producers), static_cast<unsigned>(group.size() - producers));
  return {state->kmux_full, state->kmux_empty, &state->kmux_threads, stages};
}
template <class G, thread_scope scope, unsigned char stages>
KMUX_DEVICE pipeline<scope> make_pipeline(const G& group, pipeline_shared_state<scope, stages>* state,
                                          pipeline_role role) {
  if (group.thread_rank() == 0) state->kmux_producers = 0;
  group.sync();
  if (role == pipeline_role::producer) __atomic_fetch_add(&state->kmux_producers, 1, __ATOMIC_SEQ_CST);
  group.sync();
  return make_pipeline(group, state, static_cast<size_t>(state->kmux_producers));
}

template <thread_scope scope>
inline constexpr bool kmux_completes<pipeline<scope>> = true;

}  // namespace cuda
