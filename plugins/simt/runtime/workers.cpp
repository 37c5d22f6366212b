// Creation and termination of the pool's threads.
#include <cerrno>
#include <csignal>

#include "simt/runtime/arena.h"
#include "simt/runtime/pool.h"
#include "simt/runtime/processor.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kPatienceNs = 100000000;  // wait for a thread that is to end: its block may never return

constexpr int kOwnSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};

// Application signals belong to the application's threads. Signals that this thread raises itself, and a profiler's, stay unblocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : kOwnSignals) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

unsigned Pool::count_helpers() {
  unsigned limit = 0;
  unsigned helpers = 0;
  do {  // repeated if another runtime has changed the limit
    limit = limit_.load();
    const unsigned threads = limit == 0 ? usable_cpus() : limit;
    helpers = (threads < kMaxThreads ? threads : kMaxThreads) - 1;
    helpers_.store(static_cast<int>(helpers));
  } while (limit_.load() != limit);
  return helpers;
}

void* Pool::work_in_thread(void* own) {
  Worker& worker = *static_cast<Worker*>(own);
  const std::uint32_t life = worker.life;
  begin_worker();
  {
    const BlockMemory memory(1);
  }  // allocates the arena now, not in a launch
  worker.pool->serve(static_cast<unsigned>(&worker - worker.pool->workers_));
  worker.ended.store(life, std::memory_order_release);
  return nullptr;
}

void Pool::start() {
  ticks_per_us();
  if (helpers() > 0 && !has_lent_threads()) make_threads();
}

// A thread that comes while another creates or ends the threads goes without them.
bool Pool::make_threads() {
  State state = state_.load(std::memory_order_acquire);
  if (state == State::kStarted) return true;
  if (state != State::kIdle) return false;
  if (!state_.compare_exchange_strong(state, State::kChanging, std::memory_order_acquire)) return false;
  if (!survives_fork_) survives_fork_ = pthread_atfork(nullptr, nullptr, &Pool::reset_in_child) == 0;
  const SignalsBlocked blocked;
  const unsigned wanted = helpers();
  is_ending_.store(false, std::memory_order_relaxed);
  worker_count_ = 0;
  while (worker_count_ < wanted) {  // as many as the system grants: a launch needs none
    Worker& worker = workers_[worker_count_];
    worker.pool = this;
    ++worker.life;
    if (pthread_create(&worker.thread, nullptr, &Pool::work_in_thread, &worker) != 0) break;
    ++worker_count_;
  }
  state_.store(State::kStarted, std::memory_order_release);
  return true;
}

// POSIX has no join with a time limit. A thread that has left the pool exits soon.
bool Pool::join(Worker& worker, std::uint64_t end) {
  constexpr timespec kPause{0, 20000};
  while (worker.ended.load(std::memory_order_acquire) != worker.life) {
    if (nanoseconds() >= end) return false;
    nanosleep(&kPause, nullptr);
  }
  return pthread_join(worker.thread, nullptr) == 0;
}

void Pool::end_threads() {
  is_ending_.store(true, std::memory_order_release);
  news_.fetch_add(1, std::memory_order_seq_cst);
  wake(news_, kMaxThreads);
  const std::uint64_t end = nanoseconds() + kPatienceNs;
  for (unsigned i = 0; i < worker_count_; ++i) {
    if (!join(workers_[i], end)) pthread_detach(workers_[i].thread);
  }
  worker_count_ = 0;
}

void Pool::stop() {
  State state = State::kStarted;
  if (!state_.compare_exchange_strong(state, State::kChanging, std::memory_order_acquire)) return;
  end_threads();
  state_.store(State::kIdle, std::memory_order_release);
}

void Pool::limit(unsigned threads) {
  stop();
  limit_.store(threads);
  helpers_.store(-1);
}

void Pool::lend(Executor executor, void* self) {
  executor_self_.store(self, std::memory_order_relaxed);
  executor_.store(executor, std::memory_order_release);
}

// The child of fork() has one thread, and no jobs except those that it may be inside.
void Pool::reset() {
  state_.store(State::kIdle, std::memory_order_relaxed);
  worker_count_ = 0;
  claimed_.store(0, std::memory_order_relaxed);
  open_.store(0, std::memory_order_relaxed);
  asleep_.store(0, std::memory_order_relaxed);
  awake_.store(0, std::memory_order_relaxed);
  active_.store(0, std::memory_order_relaxed);
  for (Job& job : jobs_) job.reset();
  forget_sleepers();
}

void Pool::reset_in_child() { pool().reset(); }

}  // namespace kmux::simt
