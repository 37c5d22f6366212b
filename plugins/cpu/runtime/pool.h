#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <pthread.h>

namespace kmux::cpu {

/// What the threads of a launch do, each once: take parts until none is left. Must not throw.
using Work = void (*)(void* context);

/// A piece of work that is offered to other threads. One word says whether it is open, how many more threads may enter, and how
/// many are inside; so nobody enters what its owner has closed, and the owner's stack may hold `context`.
///
/// Threads: `open` and `close` are the owner's; any may enter.
class alignas(64) Job {
 public:
  constexpr Job() = default;

  /// Lets `places` threads enter, 1 to 16383.
  void open(Work given, void* context, unsigned places) {
    work_ = given;
    context_ = context;
    state_.store(places * kPlace, std::memory_order_release);
  }

  /// Takes a place. Returns how many are left after it, or -1 if there was none.
  int enter();
  /// The work itself, between `enter` and `leave`.
  void work() const { work_(context_); }
  void leave();

  /// Lets nobody enter any more, and waits until all are out.
  void close();

  /// Forgets everything, in a child of fork(), where no other thread is.
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kInside = 0x7FFF;  // threads that are inside
  static constexpr std::uint32_t kOwnerSleeps = 0x8000;
  static constexpr std::uint32_t kPlace = 0x10000;  // one more may enter

  std::atomic<std::uint32_t> state_{0};
  Work work_ = nullptr;
  void* context_ = nullptr;
};

/// An application's own threads, as kmux_host_api::run_on_threads: has `work(context)` called by up to `threads` of them and returns 1 when
/// all these calls have returned; 0: it lends none, and nothing was called. With 0 threads it only says whether it does.
using Executor = std::int32_t (*)(void* self, std::uint32_t threads, Work work, void* context);

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

  /// Asks `executor` before it uses threads of its own; null: does not ask. `self` stays the same while anybody launches.
  void lend(Executor executor, void* self);

  /// How many threads can help a launch. Asks the machine the first time.
  unsigned helpers() {
    const int known = helpers_.load(std::memory_order_relaxed);
    return known >= 0 ? static_cast<unsigned>(known) : count_helpers();
  }

  /// 0 where it is known that no thread can help; else some number. Reads no files.
  unsigned likely_helpers() const {
    const int known = helpers_.load(std::memory_order_relaxed);
    return known >= 0 ? static_cast<unsigned>(known) : 1;
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
    std::uint32_t life;  // which thread of this place it is: one that was given up may still be there
    std::atomic<std::uint32_t> ended;  // the last of them that has left the pool
  };

  unsigned count_helpers();
  bool make_threads();
  void end_threads();
  void reset();
  static void reset_in_child();
  static void* work_in_thread(void* worker);
  static bool join(Worker& worker, std::uint64_t end);

  bool has_lent_threads() const;
  bool run_on_lent_threads(unsigned helpers, Work work, void* context);
  void run_on_own_threads(unsigned helpers, Work work, void* context);
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
  std::atomic<void*> executor_self_{nullptr};
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
