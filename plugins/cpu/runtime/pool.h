#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>

#include "runtime/job.h"

namespace kmux::cpu {

/// An application's own threads: has `work(context)` called by up to `threads` of them, the caller's among them, and returns when all
/// these calls have returned.
using Executor = void (*)(void* self, unsigned threads, Work work, void* context);

/// The threads of this process that help those that launch. A launch is offered as a job; whoever launches takes part in it, so
/// that it never waits for a thread that has not begun. No call allocates but `start`.
///
/// Threads: any, concurrently.   Lifetime: static; its threads end in `stop`, or are left alone when the process ends.
class Pool {
 public:
  constexpr Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// How many threads a launch may use at most, its caller's too; 0: as many as there are usable processors. Ends the threads that there
  /// are.
  void limit(unsigned threads);

  /// The application's threads from now on, and none of the pool's; null: the pool's. Not while anybody launches.
  void lend(Executor executor, void* self);

  /// How many threads can help a launch. Asks the machine the first time.
  unsigned helpers() {
    const int known = helpers_.load(std::memory_order_relaxed);
    return known >= 0 ? static_cast<unsigned>(known) : count_helpers();
  }

  /// Makes the threads, where the first job would.
  void start();

  /// Has `work(context)` done by this thread and up to `helpers` others, and returns when they have. By this thread alone, if it is
  /// at work for the pool already.
  void run(unsigned helpers, Work work, void* context);

  /// Ends the threads; the next job makes them anew.
  void stop();

 private:
  static constexpr unsigned kMostThreads = 512;
  static constexpr unsigned kJobs = 64;  // the bits of a mask
  static constexpr unsigned kNone = kJobs;
  enum class State : std::uint32_t { kIdle, kChanging, kStarted };

  struct Worker {
    pthread_t thread;
    Pool* pool;
  };

  unsigned count_helpers();
  bool make_threads();
  void end_threads();
  void reset();
  static void reset_in_child();
  static void* work_in_thread(void* worker);

  unsigned claim();
  void announce(unsigned threads);
  void serve(unsigned number);
  bool help(unsigned number, bool was_asleep);
  bool help_if_processor_is_free(unsigned number, bool was_asleep);
  unsigned processors() const { return static_cast<unsigned>(helpers_.load(std::memory_order_relaxed)) + 1; }
  bool wait_awake(std::uint32_t seen);

  std::atomic<int> helpers_{-1};  // -1: not asked yet
  std::atomic<State> state_{State::kIdle};
  std::atomic<Executor> executor_{nullptr};
  void* executor_self_ = nullptr;
  unsigned limit_ = 0;
  bool survives_fork_ = false;
  unsigned worker_count_ = 0;
  Worker workers_[kMostThreads] = {};

  alignas(64) std::atomic<std::uint64_t> claimed_{0};  // jobs that have an owner
  alignas(64) std::atomic<std::uint64_t> open_{0};  // jobs that have a place
  alignas(64) std::atomic<std::uint32_t> news_{0};  // changes whenever there may be a new job; workers sleep on it
  std::atomic<bool> is_ending_{false};
  alignas(64) std::atomic<unsigned> asleep_{0};  // workers
  std::atomic<unsigned> awake_{0};  // workers that look for a job
  alignas(64) std::atomic<unsigned> active_{0};  // threads in jobs
  Job jobs_[kJobs];
};

/// The one of this library.
Pool& pool();

}  // namespace kmux::cpu
