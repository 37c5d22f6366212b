#include "fibers/fiber_group.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include "fibers/sanitizer_context.h"

namespace kmux::fibers {
namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = std::size_t{128} << 10;

enum class State { kReady, kInGroupBarrier, kInSubgroupBarrier, kEnded };

// Making, resuming and ending a fiber are steps of it, which the scheduler surrounds.
struct Thread {
  Thread() = default;
  ~Thread() {
    const SanitizerContext::Step step(sanitizer);
    fiber = context::fiber();  // unwinds one that still waits, on its own stack
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  SanitizerContext sanitizer;
  context::fiber fiber;
  State state = State::kReady;
};

class Group {
 public:
  Group(unsigned threads, const std::function<void(unsigned)>& body) : threads_(threads) {
    for (unsigned i = 0; i < threads; ++i) {
      const SanitizerContext::Step step(threads_[i].sanitizer);
      threads_[i].fiber = context::fiber(std::allocator_arg, stacks(), [this, i, &body](context::fiber&& scheduler) {
        scheduler_ = std::move(scheduler);
        body(i);
        threads_[i].state = State::kEnded;
        return std::move(scheduler_);
      });
    }
  }

  void run() {
    while (run_ready()) release_waiting();
    for (const Thread& thread : threads_) {
      if (thread.state != State::kEnded) throw Deadlock("a barrier waits for threads that never come to it");
    }
  }

  void wait(State state, unsigned width) {
    threads_[running_].state = state;
    if (width != 0) width_ = width;
    scheduler_ = std::move(scheduler_).resume();
  }

 private:
  // Pools keep stacks from one group to the next.
  static context::pooled_fixedsize_stack& stacks() {
    static thread_local context::pooled_fixedsize_stack pool(kStackBytes);
    return pool;
  }

  bool run_ready() {
    bool any = false;
    for (running_ = 0; running_ < threads_.size(); ++running_) {
      Thread& thread = threads_[running_];
      if (thread.state != State::kReady) continue;
      any = true;
      const SanitizerContext::Step step(thread.sanitizer);
      thread.fiber = std::move(thread.fiber).resume();
    }
    return any;
  }

  void release_waiting() {
    release(0, threads_.size(), State::kInGroupBarrier);
    for (std::size_t first = 0; width_ != 0 && first < threads_.size(); first += width_) {
      release(first, std::min<std::size_t>(first + width_, threads_.size()), State::kInSubgroupBarrier);
    }
  }

  void release(std::size_t first, std::size_t end, State waiting) {
    for (std::size_t i = first; i < end; ++i) {
      if (threads_[i].state != waiting && threads_[i].state != State::kEnded) return;
    }
    for (std::size_t i = first; i < end; ++i) {
      if (threads_[i].state == waiting) threads_[i].state = State::kReady;
    }
  }

  std::vector<Thread> threads_;
  context::fiber scheduler_;
  std::size_t running_ = 0;
  unsigned width_ = 0;
};

thread_local Group* current = nullptr;

}  // namespace

void run_group(unsigned threads, const std::function<void(unsigned)>& body) {
  struct Scope {
    explicit Scope(Group* group) { current = group; }
    ~Scope() { current = nullptr; }
  };
  Group group(threads, body);
  const Scope scope(&group);
  group.run();
}

void wait_for_group() { current->wait(State::kInGroupBarrier, 0); }
void wait_for_subgroup(unsigned width) { current->wait(State::kInSubgroupBarrier, width); }

}  // namespace kmux::fibers
