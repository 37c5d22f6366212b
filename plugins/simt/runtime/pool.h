#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <pthread.h>

namespace kmux::simt {

/// The function that each thread of a launch calls once: takes parts until none is left. Must not throw.
using Work = void (*)(void* context);

/// A piece of work offered to other threads. One atomic word holds whether it is open, how many more threads may enter,
/// and how many are inside. No thread enters a job that its owner has closed, so `context` may be on the owner's stack.
///
/// Threads: only the owner calls `open` and `close`; any thread may enter.
class alignas(64) Job {
 public:
  constexpr Job() = default;

  /// Lets `places` threads enter, 1 to 16383. `context` must stay valid until `close` returns.
  void open(Work given, void* context, unsigned places) {
    work_ = given;
    context_ = context;
    state_.store(places * kPlace, std::memory_order_release);
  }

  /// Takes a place. Returns the number of places left, or -1 if none was free.
  int enter();
  /// Runs the work; must be called between `enter` and `leave`.
  void work() const { work_(context_); }
  void leave();

  /// Lets no further thread enter, and blocks until all have left.
  void close();

  /// Resets the job in a child of fork(), where no other thread exists.
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kInside = 0x7FFF;  // threads that are inside
  static constexpr std::uint32_t kOwnerSleeps = 0x8000;
  static constexpr std::uint32_t kPlace = 0x10000;  // one free place

  std::atomic<std::uint32_t> state_{0};
  Work work_ = nullptr;
  void* context_ = nullptr;
};

/// The application's own threads, as kmux_host_api::run_on_threads: calls `work(context)` on up to `threads` of them and returns 1 after
/// all these calls have returned. Returns 0 if it lends none; nothing was called. With 0 threads it only reports whether it lends any.
using Executor = std::int32_t (*)(void* self, std::uint32_t threads, Work work, void* context);

/// The threads of this process that help launching threads. A launch is offered as a job; the launching thread takes
/// part in it, so it never waits for a thread that has not begun. No call allocates but `start`.
///
/// Threads: any, concurrently.   Lifetime: static; its threads end in `stop`, or keep running when the process ends.
class Pool {
 public:
  constexpr Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Sets the most threads of a launch, including its caller; 0: as many as there are usable processors. Ends the
  /// existing threads.
  void limit(unsigned threads);

  /// Sets an executor that is tried before the pool's threads; null: none. `self` must stay the same while any thread launches.
  void lend(Executor executor, void* self);

  /// Returns the number of threads that can help a launch. Queries the machine the first time.
  unsigned helpers() {
    const int known = helpers_.load(std::memory_order_relaxed);
    return known >= 0 ? static_cast<unsigned>(known) : count_helpers();
  }

  /// Returns 0 if no thread can help for certain, else some number. Reads no files.
  unsigned likely_helpers() const {
    const int known = helpers_.load(std::memory_order_relaxed);
    return known >= 0 ? static_cast<unsigned>(known) : 1;
  }

  /// Creates the threads, which the first job would do otherwise.
  void start();

  /// Runs `work(context)` on this thread and up to `helpers` others, and returns after all of them have returned. Runs
  /// on this thread alone if it is already at work for the pool.
  void run(unsigned helpers, Work work, void* context);

  /// Ends the threads; the next job creates them again.
  void stop();

 private:
  static constexpr unsigned kMaxThreads = 512;
  static constexpr unsigned kJobs = 64;  // the bits of a mask
  static constexpr unsigned kNone = kJobs;
  enum class State : std::uint32_t { kIdle, kChanging, kStarted };

  struct Worker {
    pthread_t thread;
    Pool* pool;
    std::uint32_t life;  // the generation of this slot's thread: an abandoned one may still be running
    std::atomic<std::uint32_t> ended;  // the last generation that has left the pool
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

  std::atomic<int> helpers_{-1};  // -1: not queried yet
  std::atomic<State> state_{State::kIdle};
  std::atomic<Executor> executor_{nullptr};
  std::atomic<void*> executor_self_{nullptr};
  std::atomic<unsigned> limit_{0};
  bool survives_fork_ = false;
  unsigned worker_count_ = 0;
  Worker workers_[kMaxThreads] = {};

  alignas(64) std::atomic<std::uint64_t> claimed_{0};  // jobs with an owner
  alignas(64) std::atomic<std::uint64_t> open_{0};  // jobs with a free place
  alignas(64) std::atomic<std::uint32_t> news_{0};  // changes whenever a new job may exist; workers sleep on it
  std::atomic<bool> is_ending_{false};
  alignas(64) std::atomic<unsigned> asleep_{0};  // workers
  std::atomic<unsigned> awake_{0};  // workers that look for a job
  alignas(64) std::atomic<unsigned> active_{0};  // threads in jobs
  Job jobs_[kJobs];
};

/// Returns the pool of this library.
Pool& pool();

}  // namespace kmux::simt
