#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>

#include "admission.h"
#include "compile_pool.h"
#include "compile_run.h"

namespace kmux {

/// One event of a run, as its threads queue it for the supervisor.
struct RunEvent {
  JobStep step;
  std::size_t group;
  std::shared_ptr<const Error> error = {};
  std::string backend = {};
  bool from_cache = false;
  std::chrono::nanoseconds elapsed{};
  CompileCounts counts = {};
  double rate = 0;
  std::optional<std::chrono::milliseconds> eta = {};
};

/// The shared state of a run's threads. They may outlive the call that began it, so each owns a reference.
///
/// Lifetime: borrows the pool, which waits for the threads.
class CompileRunState {
 public:
  using Clock = std::chrono::steady_clock;

  CompileRunState(CompilePool& pool, CompileRunPlan plan);

  /// Compiles as worker number `worker` until nothing is queued. Returns early if its job is left behind.
  void work(std::size_t worker);

  // The rest is for the supervising thread.

  /// Cancels all jobs that have not ended; running ones get a short grace period.
  void cancel();
  /// Leaves overdue jobs behind that cannot be stopped, counts them as failed or cancelled, and returns their workers.
  std::vector<std::size_t> leave_behind_overdue();
  /// Samples the memory that the compilers in this process have taken.
  void sample_memory();
  /// Blocks until an event, the end, `wake` or the next time to look; returns the events.
  std::deque<RunEvent> await_events();
  void wake();
  bool is_over();
  bool has_queued();
  CompileRunOutcome outcome();

  const CompileRunPlan& plan() const { return plan_; }

 private:
  friend class JobScope;
  struct Record {
    std::optional<Result<Product>> outcome;
    std::atomic<bool> unwanted = false;  // cancelled, or left behind
    bool left_behind = false;
    bool waits = false;  // for memory
    bool compiling = false;
    bool isolated = false;  // in a separate process
    std::string cost_name;  // empty: nothing was compiled
    std::size_t worker = 0;
    Clock::time_point started{};
    std::optional<Clock::time_point> deadline = {};
    Clock::time_point admitted{};
    CompilePace::Duration compiled{};
    std::uint64_t bytes_before = 0;
    std::uint64_t peak_bytes = 0;
    std::weak_ptr<Admission::Permit> permit = {};
  };

  std::optional<std::size_t> start_next(std::size_t worker);
  bool conclude(std::size_t group, Result<Product> made);
  Result<Product> make(std::size_t group);
  void finish(std::size_t group, Result<Product> made);
  void learn(const Record& record);
  void push(RunEvent event);
  void push_cancelled(const std::vector<std::size_t>& groups);
  void tell_of_end(std::size_t group);
  std::optional<Clock::time_point> next_look() const;
  std::optional<Clock::time_point> leaving_time(const Record& record) const;
  std::vector<CompilePace::Duration> running_since(Clock::time_point now) const;
  const CompileJob& job(std::size_t group) const { return *plan_.jobs[queue_.group(group).first()]; }
  std::optional<std::chrono::milliseconds> timeout_of(std::size_t group) const;
  Error time_out(std::size_t group) const;

  CompileRunPlan plan_;
  CompilePool& pool_;
  const Clock::time_point began_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  JobQueue queue_;
  CompilePace pace_;
  std::vector<Record> records_;  // by group
  std::set<std::size_t> running_;  // groups that have started and not ended: looked through at each event
  std::deque<RunEvent> events_;
  bool woken_ = false;
  std::optional<Clock::time_point> cancelled_ = {};
};

}  // namespace kmux
