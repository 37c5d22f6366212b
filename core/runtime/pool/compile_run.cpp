// kmux::compile that can be cancelled.
#include "compile_run.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "kmux/compile.h"
#include "kmux/compile_wait.h"
#include "kmux/guarded.h"
#include "kmux/log.h"
#include "kmux/plugin/start_thread.h"
#include "kmux/runtime.h"

#include "compile/compilation.h"
#include "compile_run_state.h"
#include "isolation/isolated_plugins.h"
#include "system/runtime_impl.h"

namespace kmux {
namespace {

/// Starts the threads of a run, delivers its events and watches its clock, all on the calling thread.
class Supervisor {
 public:
  Supervisor(CompilePool& pool, CompileRunPlan plan)
      : pool_(pool), state_(std::make_shared<CompileRunState>(pool, std::move(plan))) {}
  ~Supervisor() {
    try {
      state_->cancel();  // the remaining jobs after an exception
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): what is queued is compiled, then
    }
    join();
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  CompileRunOutcome run() {
    {
      const std::stop_callback on_cancel(state_->plan().cancel, [this] { state_->wake(); });
      see_to_cancel();
      for (std::size_t i = 0; i < state_->plan().workers && state_->has_queued() && start_worker(); ++i) {
      }
      if (threads_.empty()) work_here();
      while (!state_->is_over()) look();
    }
    join();
    CompileRunOutcome outcome = state_->outcome();
    outcome.was_cancelled = was_cancelled_;
    if (failure_) std::rethrow_exception(failure_);
    return outcome;
  }

 private:
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  /// Returns false if no thread can be started.
  bool start_worker() {
    auto thread = start_thread([state = state_, worker = threads_.size()] { state->work(worker); });
    const bool started = thread.ok();
    if (started) threads_.push_back(*std::move(thread));
    return started;
  }

  /// Works on the calling thread: runs one job after the other, and delivers the events when all are done.
  void work_here() {
    threads_.emplace_back();
    state_->work(threads_.size() - 1);
  }

  void look() {
    for (const RunEvent& event : state_->await_events()) deliver(event);
    call_users(state_->plan().poll);
    see_to_cancel();
    state_->sample_memory();
    for (const std::size_t worker : state_->leave_behind_overdue()) {
      pool_.abandoned_threads().adopt(std::move(threads_[worker]));
      if (state_->has_queued() && !start_worker() && !has_thread()) work_here();
    }
  }

  bool has_thread() const { return std::ranges::any_of(threads_, &std::thread::joinable); }

  void see_to_cancel() {
    if (was_cancelled_ || !(state_->plan().cancel.stop_requested() || failure_)) return;
    was_cancelled_ = true;
    state_->cancel();
  }

  void deliver(const RunEvent& event) {
    if (state_->plan().progress) call_users([&] { deliver_to_each(event); });
  }

  /// Calls the caller's function. An exception is stored and rethrown to the caller once no job runs any more.
  void call_users(const std::function<void()>& function) {
    if (!function || failure_) return;
    try {
      function();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void deliver_to_each(const RunEvent& event) const {
    const CompileRunPlan& plan = state_->plan();
    const JobGroup& group = plan.groups[event.group];
    for (const std::size_t index : group.members) {
      CompileProgress progress{.step = event.step,
                               .index = index,
                               .program = plan.jobs[index]->program.name,
                               .counts = event.counts,
                               .error = event.error.get(),
                               .backend = event.backend,
                               .from_cache = event.from_cache,
                               .same_as = {},
                               .elapsed = event.elapsed,
                               .rate = event.rate,
                               .eta = event.eta};
      if (index != group.first()) progress.same_as = group.first();
      plan.progress(progress);
    }
  }

  CompilePool& pool_;
  std::shared_ptr<CompileRunState> state_;
  std::vector<std::thread> threads_;  // by worker
  std::exception_ptr failure_;
  bool was_cancelled_ = false;
};

Error given_up(const Program& program) {
  return make_error(ErrorCode::kCancelled, "program \"" + program.name +
                                               "\" was not compiled (it was stopped). Compile it again if it is still "
                                               "needed.");
}

/// Returns the plan of one independent job.
CompileRunPlan plan_of(Runtime& runtime, const CompileJob& job, const CompileWait& wait) {
  return {.jobs = {std::make_shared<const CompileJob>(job)},
          .groups = {JobGroup{.members = {0}}},
          .make = [&runtime](const CompileJob& one) -> Result<Product> {
            KMUX_ASSIGN(Kernel kernel, compile(runtime, one.program, one.options));
            std::string backend = kernel.backend();
            return Product{std::any(std::move(kernel)), std::move(backend)};
          },
          .memory_budget = std::numeric_limits<std::uint64_t>::max(),
          .most_compilers = std::numeric_limits<std::size_t>::max(),
          .cancel = wait.stop,
          .poll = wait.poll,
          .keeps_costs = false};
}

}  // namespace

CompileRunOutcome run_compilation(CompilePool& pool, CompileRunPlan plan) {
  const bool keeps_costs = plan.keeps_costs;
  CompileRunOutcome outcome = Supervisor(pool, std::move(plan)).run();
  pool.workers().end_surplus();
  if (!keeps_costs) return outcome;
  if (const Status saved = pool.costs().save(); !saved)
    log(LogLevel::kInfo, "compile costs are not stored: " + saved.error().message);
  return outcome;
}

Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options,
                       const CompileWait& wait) {
  return guarded_but_callers([&]() -> Result<Kernel> {
    KMUX_TRY(runtime.check_process());
    Compilation compilation(runtime, program, options);
    if (std::optional<Kernel> known = compilation.find_in_memory()) return *std::move(known);
    // Starting a thread takes longer than reading a kernel from disk.
    if (!wait.stop.stop_requested())
      if (std::optional<Result<Kernel>> found = compilation.find_on_disk()) return *std::move(found);
    const CompileRunOutcome outcome =
        run_compilation(runtime.impl().compile_pool(), plan_of(runtime, {program, options}, wait));
    const std::optional<Result<Product>>& made = outcome.groups.front();
    if (!made) return given_up(program);
    if (!made->ok()) return made->error();
    return *std::any_cast<Kernel>(&(*made)->made);
  });
}

Result<Kernel> compile(const Program& program, const CompileOptions& options, const CompileWait& wait) {
  KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
  return compile(*runtime, program, options, wait);
}

}  // namespace kmux
