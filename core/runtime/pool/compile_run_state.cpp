#include "compile_run_state.h"

#include <algorithm>

#include "machine_share.h"
#include "system/compile_scope.h"

namespace kmux {
namespace {

using Clock = CompileRunState::Clock;

constexpr std::uint64_t kUnknownBytes = std::uint64_t{512} << 20;  // of a plugin without known costs

constexpr std::chrono::milliseconds kSamplePause(50);
constexpr std::chrono::milliseconds kPollPause(20);
constexpr std::chrono::seconds kGrace(5);  // for killing a worker that took too long
constexpr std::chrono::milliseconds kCancelGrace(100);  // for killing a worker that is not needed
/// The least cost to learn for a job in this process, which may reuse memory that an earlier one has left.
constexpr std::uint64_t kMinBytes = std::uint64_t{128} << 20;

/// Returns the name of a plugin's cost. A separate process takes other memory than a compiler in this one.
std::string cost_name_of(const std::string& plugin, bool isolated) { return isolated ? plugin + "@process" : plugin; }

}  // namespace

/// One job of a run, as its compiler sees it.
///
/// Threads: that of the job.   Lifetime: borrows the run.
class JobScope final : public CompileScope {
 public:
  JobScope(CompileRunState& run, std::size_t group) : run_(run), group_(group), record_(run.records_[group]) {}

  Result<std::shared_ptr<void>> admit(const std::string& plugin, bool isolated) override;
  bool has_neighbours() const override { return run_.plan_.groups.size() > 1; }
  Limit time_left() const override;
  bool is_cancelled() const override { return record_.unwanted; }
  void took_memory(std::uint64_t bytes) override;

 private:
  class Compilation;
  std::shared_ptr<Admission::Permit> wait_for_permit(const std::string& cost_name);

  CompileRunState& run_;
  std::size_t group_;
  CompileRunState::Record& record_;
};

/// The time between admission and the compiler's end.
class JobScope::Compilation {
 public:
  Compilation(CompileRunState& run, CompileRunState::Record& record, std::shared_ptr<Admission::Permit> permit)
      : run_(run), record_(record), permit_(std::move(permit)) {}
  ~Compilation() {
    run_.sample_memory();
    const std::lock_guard lock(run_.mutex_);
    record_.compiling = false;
    record_.compiled = Clock::now() - record_.admitted;
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

 private:
  CompileRunState& run_;
  CompileRunState::Record& record_;
  std::shared_ptr<Admission::Permit> permit_;
};

std::shared_ptr<Admission::Permit> JobScope::wait_for_permit(const std::string& cost_name) {
  const std::optional<CompileCost> cost = run_.pool_.costs().of(cost_name);
  {
    const std::lock_guard lock(run_.mutex_);
    record_.waits = true;
    if (cost) run_.pace_.expect(std::chrono::duration<double, std::milli>(cost->milliseconds));
  }
  const auto began = Clock::now();
  auto permit = run_.pool_.admission().acquire({.bytes = cost ? cost->peak_bytes : kUnknownBytes,
                                                .budget = run_.plan_.memory_budget,
                                                .most = run_.plan_.most_compilers},
                                               [this] { return record_.unwanted.load(); });
  const std::lock_guard lock(run_.mutex_);
  record_.waits = false;
  if (record_.deadline) *record_.deadline += Clock::now() - began;  // the wait does not count as compile time
  return permit;
}

Result<std::shared_ptr<void>> JobScope::admit(const std::string& plugin, bool isolated) {
  const std::string cost_name = cost_name_of(plugin, isolated);
  std::shared_ptr<Admission::Permit> permit = wait_for_permit(cost_name);
  if (permit == nullptr) return cancellation("it was not compiled (no caller waits for it).");
  const std::uint64_t resident = isolated ? 0 : resident_bytes();
  const std::lock_guard lock(run_.mutex_);
  record_.permit = permit;
  record_.isolated = isolated;
  record_.compiling = true;
  record_.cost_name = cost_name;
  record_.admitted = Clock::now();
  record_.bytes_before = resident;
  run_.push({.step = JobStep::kCompiling, .group = group_, .backend = plugin});
  return std::shared_ptr<void>(std::make_shared<Compilation>(run_, record_, std::move(permit)));
}

CompileScope::Limit JobScope::time_left() const {
  const std::lock_guard lock(run_.mutex_);
  if (!record_.deadline) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*record_.deadline - Clock::now());
  return std::max(left, std::chrono::milliseconds(1));  // 0 would mean no limit
}

void JobScope::took_memory(std::uint64_t bytes) {
  const std::lock_guard lock(run_.mutex_);
  record_.peak_bytes = std::max(record_.peak_bytes, bytes);
}

CompileRunState::CompileRunState(CompilePool& pool, CompileRunPlan plan)
    : plan_(std::move(plan)), pool_(pool), queue_(plan_.groups, plan_.failure_counts), records_(queue_.size()) {
  for (std::size_t group = 0; group < queue_.size(); ++group) push({.step = JobStep::kQueued, .group = group});
}

void CompileRunState::work(std::size_t worker) {
  while (const auto group = start_next(worker)) {
    Result<Product> made = make(*group);
    if (!conclude(*group, std::move(made))) return;
  }
}

std::optional<std::size_t> CompileRunState::start_next(std::size_t worker) {
  if (plan_.cancel.stop_requested()) return std::nullopt;  // the supervisor has not seen it yet
  const std::lock_guard lock(mutex_);
  const auto group = queue_.start_next();
  if (!group) return std::nullopt;
  running_.insert(*group);
  Record& record = records_[*group];
  record.worker = worker;
  record.started = Clock::now();
  if (const auto limit = timeout_of(*group)) record.deadline = record.started + *limit;
  push({.step = JobStep::kStarted, .group = *group});
  return group;
}

Result<Product> CompileRunState::make(std::size_t group) {
  JobScope scope(*this, group);
  const CompileScope::Entered entered(scope);
  try {
    return plan_.make(job(group));
  } catch (const std::exception& failure) {
    return make_error(ErrorCode::kInternal, std::string("compiling threw an exception (") + failure.what() +
                                                "). Free memory if it is short, else report this.");
  }
}

/// Returns false if the job was left behind meanwhile: its result is then not needed.
bool CompileRunState::conclude(std::size_t group, Result<Product> made) {
  const std::lock_guard lock(mutex_);
  const Record& record = records_[group];
  if (record.left_behind) return false;
  const bool took_too_long = record.deadline && Clock::now() >= *record.deadline;
  if (!made && record.isolated && took_too_long && !record.unwanted) {
    Error error = time_out(group);
    error.notes = std::move(made.error().notes);
    made = std::move(error);
  }
  if (made) learn(record);
  finish(group, std::move(made));
  return true;
}

/// Under the lock.
void CompileRunState::finish(std::size_t group, Result<Product> made) {
  Record& record = records_[group];
  const auto elapsed = Clock::now() - record.started;
  pace_.ended(elapsed);
  running_.erase(group);
  const JobStep step = made ? JobStep::kDone : record.unwanted ? JobStep::kCancelled : JobStep::kFailed;
  const std::vector<std::size_t> cancelled = queue_.end(group, step);
  RunEvent event{.step = step, .group = group, .from_cache = made && record.cost_name.empty(), .elapsed = elapsed};
  if (made) event.backend = made->backend;
  if (step == JobStep::kFailed) event.error = std::make_shared<const Error>(made.error());
  if (step != JobStep::kCancelled) record.outcome = std::move(made);
  tell_of_end(group);
  push(std::move(event));
  push_cancelled(cancelled);
}

void CompileRunState::learn(const Record& record) {
  if (record.cost_name.empty()) return;
  const std::uint64_t peak = record.isolated ? record.peak_bytes : std::max(record.peak_bytes, kMinBytes);
  const std::chrono::duration<double, std::milli> time = record.compiled;
  pool_.costs().learn(record.cost_name, {peak, time.count()});
}

/// Under the lock, or before there are threads.
void CompileRunState::push(RunEvent event) {
  const auto now = Clock::now();
  event.counts = queue_.counts();
  event.rate = pace_.rate(event.counts.done + event.counts.failed, now - began_);
  if (const auto left = pace_.left(event.counts.queued(), running_since(now), plan_.workers))
    event.eta = std::chrono::ceil<std::chrono::milliseconds>(*left);
  events_.push_back(std::move(event));
  changed_.notify_all();
}

void CompileRunState::push_cancelled(const std::vector<std::size_t>& groups) {
  for (const std::size_t group : groups) {
    records_[group].unwanted = true;
    tell_of_end(group);
    push({.step = JobStep::kCancelled, .group = group});
  }
}

/// Under the lock.
void CompileRunState::tell_of_end(std::size_t group) {
  const std::optional<Result<Product>>& outcome = records_[group].outcome;
  if (plan_.ended) plan_.ended(group, outcome && outcome->ok() ? &**outcome : nullptr);
}

std::vector<CompilePace::Duration> CompileRunState::running_since(Clock::time_point now) const {
  std::vector<CompilePace::Duration> since;
  for (const std::size_t group : running_)
    if (!records_[group].unwanted) since.emplace_back(now - records_[group].started);
  return since;
}

void CompileRunState::cancel() {
  {
    const std::lock_guard lock(mutex_);
    push_cancelled(queue_.cancel_queued());
    cancelled_ = Clock::now();
    for (Record& record : records_)
      if (!record.outcome) record.unwanted = true;
  }
  pool_.admission().reconsider();
}

/// Returns the time at which a running job is left behind, if ever. Under the lock.
std::optional<Clock::time_point> CompileRunState::leaving_time(const Record& record) const {
  if (cancelled_) return *cancelled_ + kCancelGrace;
  if (!record.deadline || record.waits) return std::nullopt;
  return *record.deadline + (record.isolated ? kGrace : kGrace.zero());
}

std::vector<std::size_t> CompileRunState::leave_behind_overdue() {
  std::vector<std::size_t> workers;
  std::vector<std::shared_ptr<Admission::Permit>> permits;  // released without the lock
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (const std::size_t group : std::set(running_)) {  // a copy: `finish` removes from it
    Record& record = records_[group];
    if (now < leaving_time(record).value_or(Clock::time_point::max())) continue;
    record.left_behind = true;
    workers.push_back(record.worker);
    permits.push_back(record.permit.lock());
    finish(group, cancelled_ ? cancellation("it was left behind.") : time_out(group));
    record.unwanted = true;
  }
  for (const auto& permit : permits)
    if (permit != nullptr) permit->leave_behind();
  return workers;
}

void CompileRunState::sample_memory() {
  const auto counts = [this](std::size_t group) { return records_[group].compiling && !records_[group].isolated; };
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::none_of(running_, counts)) return;  // the query takes 50 us in the kernel
  }
  const std::uint64_t resident = resident_bytes();
  const std::lock_guard lock(mutex_);
  for (const std::size_t group : running_) {
    if (!counts(group)) continue;
    Record& record = records_[group];
    record.peak_bytes = std::max(record.peak_bytes, resident - std::min(resident, record.bytes_before));
  }
}

/// Returns the time at which the supervisor must look again, even without events. Under the lock.
std::optional<Clock::time_point> CompileRunState::next_look() const {
  std::optional<Clock::time_point> next;
  const auto look_at = [&next](Clock::time_point time) {
    next = std::min(next.value_or(Clock::time_point::max()), time);
  };
  const auto now = Clock::now();
  if (plan_.poll) look_at(now + kPollPause);
  for (const std::size_t group : running_) {
    const Record& record = records_[group];
    if (record.compiling && !record.isolated) look_at(now + kSamplePause);
    if (const auto time = leaving_time(record)) look_at(*time);
  }
  return next;
}

std::deque<RunEvent> CompileRunState::await_events() {
  std::unique_lock lock(mutex_);
  const auto has_news = [this] { return woken_ || !events_.empty() || queue_.is_over(); };
  if (const auto next = next_look()) {
    changed_.wait_until(lock, *next, has_news);
  } else {
    changed_.wait(lock, has_news);
  }
  woken_ = false;
  return std::exchange(events_, {});
}

void CompileRunState::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

bool CompileRunState::is_over() {
  const std::lock_guard lock(mutex_);
  return queue_.is_over() && events_.empty();
}

bool CompileRunState::has_queued() {
  const std::lock_guard lock(mutex_);
  return queue_.has_queued();
}

CompileRunOutcome CompileRunState::outcome() {
  const std::lock_guard lock(mutex_);
  CompileRunOutcome outcome{.groups = {}, .counts = queue_.counts()};
  for (Record& record : records_) outcome.groups.push_back(std::move(record.outcome));
  return outcome;
}

/// 0 means no limit.
std::optional<std::chrono::milliseconds> CompileRunState::timeout_of(std::size_t group) const {
  const auto limit = job(group).timeout ? job(group).timeout : plan_.timeout;
  return limit && limit->count() > 0 ? limit : std::nullopt;
}

Error CompileRunState::time_out(std::size_t group) const {
  const bool was_killed = records_[group].isolated;
  return make_error(ErrorCode::kTimedOut,
                    "program \"" + job(group).program.name + "\" was not compiled within " +
                        std::to_string(timeout_of(group).value_or(std::chrono::milliseconds{}).count()) + " ms (" +
                        (was_killed ? "its compiler was stopped" : "its compiler is left behind in this process") +
                        "). Allow more time, or find out what the compiler waits for.");
}

}  // namespace kmux
