#include "simt/runtime/pool.h"

#include "simt/runtime/processor.h"

namespace kmux::simt {

int Job::enter() {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  do {
    if (state < kPlace) return -1;
  } while (
      !state_.compare_exchange_weak(state, state - kPlace + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return static_cast<int>(state / kPlace) - 1;
}

void Job::leave() {
  const std::uint32_t before = state_.fetch_sub(1, std::memory_order_release);
  if ((before & kOwnerSleeps) != 0 && (before & kInside) == 1) wake(state_, 1);
}

// A part takes some microseconds, unless its thread is preempted: then spinning on is useless.
void Job::close() {
  constexpr std::uint64_t kAwakeUs = 50;
  std::uint32_t state = state_.fetch_and(kInside, std::memory_order_acquire) & kInside;
  if (state != 0) {
    const std::uint64_t end = ticks() + kAwakeUs * ticks_per_us();
    while (state != 0 && ticks() < end) {
      relax();
      state = state_.load(std::memory_order_acquire);
    }
  }
  while ((state & kInside) != 0) {
    if ((state & kOwnerSleeps) == 0) state = state_.fetch_or(kOwnerSleeps, std::memory_order_acquire) | kOwnerSleeps;
    if ((state & kInside) != 0) sleep_while(state_, state);
    state = state_.load(std::memory_order_acquire);
  }
  state_.store(0, std::memory_order_relaxed);
}

namespace {

constexpr std::uint64_t kAwakeUs = 75;  // time that a worker spins for the next job before it sleeps
constexpr unsigned kMaxWoken = 4;      // by one thread; woken workers wake others

// True while this thread works for the pool: a launch from it runs alone, since all processors are busy.
__thread bool is_at_work;

std::uint64_t bit(unsigned job) { return std::uint64_t{1} << job; }

unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

std::uint64_t rotated(std::uint64_t mask, unsigned by) {
  by %= 64;
  return by == 0 ? mask : (mask >> by) | (mask << (64 - by));
}

unsigned lesser(unsigned a, unsigned b) { return a < b ? a : b; }

}  // namespace

Pool& pool() {
  static Pool one;  // constant-initialized, and never destroyed
  return one;
}

unsigned Pool::claim() {
  std::uint64_t taken = claimed_.load(std::memory_order_relaxed);
  for (;;) {
    if (~taken == 0) return kNone;
    const unsigned job = lowest(~taken);
    if (claimed_.compare_exchange_weak(taken, taken | bit(job), std::memory_order_acquire)) return job;
  }
}

// A worker counts itself as asleep before its last look at `news_`: either this thread sees the count, or the worker sees the change.
void Pool::announce(unsigned threads) {
  news_.fetch_add(1, std::memory_order_seq_cst);
  const unsigned asleep = asleep_.load(std::memory_order_seq_cst);
  const unsigned awake = awake_.load(std::memory_order_relaxed);
  if (asleep == 0 || threads <= awake) return;
  wake(news_, lesser(threads - awake, kMaxWoken));
}

void Pool::run(unsigned helpers, Work work, void* context) {
  if (is_at_work || helpers == 0) return work(context);
  is_at_work = true;
  if (!run_on_lent_threads(helpers, work, context)) run_on_own_threads(helpers, work, context);
  is_at_work = false;
}

namespace {

struct LentWork {
  Work work;
  void* context;
};

void work_on_lent_thread(void* lent) {
  const LentWork& own = *static_cast<LentWork*>(lent);
  const bool before = is_at_work;
  is_at_work = true;
  own.work(own.context);
  is_at_work = before;
}

}  // namespace

bool Pool::has_lent_threads() const {
  const Executor executor = executor_.load(std::memory_order_acquire);
  return executor != nullptr && executor(executor_self_.load(std::memory_order_relaxed), 0, nullptr, nullptr) != 0;
}

// Work that an executor leaves undone, since it is busy or ending, is done here.
bool Pool::run_on_lent_threads(unsigned helpers, Work work, void* context) {
  const Executor executor = executor_.load(std::memory_order_acquire);
  LentWork lent{work, context};
  if (executor == nullptr ||
      executor(executor_self_.load(std::memory_order_relaxed), helpers + 1, work_on_lent_thread, &lent) == 0) {
    return false;
  }
  work(context);
  return true;
}

void Pool::run_on_own_threads(unsigned helpers, Work work, void* context) {
  const unsigned number = make_threads() ? claim() : kNone;
  if (number == kNone) return work(context);
  Job& job = jobs_[number];
  active_.fetch_add(1, std::memory_order_relaxed);  // the launching thread has a processor
  job.open(work, context, helpers);
  open_.fetch_or(bit(number), std::memory_order_release);
  announce(helpers);
  work(context);
  open_.fetch_and(~bit(number), std::memory_order_relaxed);
  job.close();
  claimed_.fetch_and(~bit(number), std::memory_order_release);
  active_.fetch_sub(1, std::memory_order_relaxed);
  if (open_.load(std::memory_order_relaxed) != 0) announce(1);  // this processor is free for another's job
}

// Helps with one open job, if any. Workers begin at different ones.
bool Pool::help(unsigned number, bool was_asleep) {
  const std::uint64_t open = open_.load(std::memory_order_acquire);
  for (std::uint64_t left = rotated(open, number); left != 0; left &= left - 1) {
    const unsigned at = (lowest(left) + number) % kJobs;
    Job& job = jobs_[at];
    const int places = job.enter();
    if (places < 0) continue;
    if (places == 0) open_.fetch_and(~bit(at), std::memory_order_relaxed);  // from within, while it belongs to this job
    if (places > 0 && was_asleep) announce(static_cast<unsigned>(places));
    job.work();
    job.leave();
    return true;
  }
  return false;
}

bool Pool::help_if_processor_is_free(unsigned number, bool was_asleep) {
  if (open_.load(std::memory_order_relaxed) == 0) return false;
  const bool is_free = active_.fetch_add(1, std::memory_order_relaxed) < processors();
  const bool has_helped = is_free && help(number, was_asleep);
  active_.fetch_sub(1, std::memory_order_relaxed);
  return has_helped;
}

bool Pool::wait_awake(std::uint32_t seen) {
  if (active_.load(std::memory_order_relaxed) >= processors()) return false;  // others need this processor
  awake_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t end = ticks() + kAwakeUs * ticks_per_us();
  bool is_new = false;
  while (!is_new && ticks() < end) {
    relax();
    is_new = news_.load(std::memory_order_relaxed) != seen;
  }
  awake_.fetch_sub(1, std::memory_order_seq_cst);
  return is_new;
}

void Pool::serve(unsigned number) {
  is_at_work = true;
  for (bool was_asleep = false;;) {
    const std::uint32_t seen = news_.load(std::memory_order_seq_cst);
    if (is_ending_.load(std::memory_order_acquire)) return;
    const bool has_helped = help_if_processor_is_free(number, was_asleep);
    was_asleep = false;
    if (has_helped || wait_awake(seen)) continue;
    asleep_.fetch_add(1, std::memory_order_seq_cst);
    sleep_while(news_, seen);
    asleep_.fetch_sub(1, std::memory_order_seq_cst);
    was_asleep = true;
  }
}

}  // namespace kmux::simt
