#include "kmux/par_compile.h"

#include <algorithm>

#include "kmux/environment.h"
#include "kmux/guarded.h"
#include "kmux/runtime.h"

#include "compile_pool.h"
#include "compile_run.h"
#include "job_end.h"
#include "machine_share.h"
#include "system/environment_variables.h"
#include "system/runtime_impl.h"

namespace kmux {
namespace {

using JobPointer = std::shared_ptr<const CompileJob>;

Error invalid_setting(std::string message) { return make_error(ErrorCode::kInvalidArgument, std::move(message)); }

Status check(std::span<const CompileJob> jobs, const ParCompileOptions& how) {
  if (how.num_workers < 0) {
    return invalid_setting("num_workers is " + std::to_string(how.num_workers) +
                           " (it cannot be less than 0). Give 0 for one a core, or more.");
  }
  const auto is_negative = [](const auto& limit) { return limit && limit->count() < 0; };
  if (is_negative(how.timeout) || std::ranges::any_of(jobs, is_negative, &CompileJob::timeout)) {
    return invalid_setting("timeout cannot be negative. Give 0 for no limit, or more.");
  }
  return Ok{};
}

/// Returns 7/8 of the available memory: the known costs of compilers are only those of earlier runs.
std::uint64_t most_of(std::uint64_t available) { return available - available / 8; }

Result<std::uint64_t> memory_budget(const Environment& environment, const ParCompileOptions& how) {
  if (how.memory_budget) return *how.memory_budget;
  const std::string& said = environment.compile_memory;
  return said.empty() ? most_of(available_memory()) : parse_byte_size("KMUX_COMPILE_MEMORY", said);
}

/// Copies the jobs if they may be left behind, as such a job outlives the call; otherwise borrows them.
std::vector<JobPointer> share(std::span<const CompileJob> jobs, const ParCompileOptions& how) {
  const bool may_outlive = jobs.size() > 1 || how.timeout || how.cancel.stop_possible() || how.poll || how.progress ||
                           std::ranges::any_of(jobs, [](const CompileJob& job) { return job.timeout.has_value(); });
  std::vector<JobPointer> shared;
  shared.reserve(jobs.size());
  for (const CompileJob& job : jobs)
    shared.push_back(may_outlive ? std::make_shared<const CompileJob>(job) : JobPointer(JobPointer(), &job));
  return shared;
}

std::vector<JobGroup> groups_of(const std::vector<JobPointer>& jobs) {
  std::vector<const CompileJob*> all(jobs.size());
  std::ranges::transform(jobs, all.begin(), &JobPointer::get);
  return group_identical(all);
}

Result<CompileRunPlan> plan_run(const Environment& environment, std::span<const CompileJob> jobs,
                                const ParCompileOptions& how) {
  KMUX_TRY(check(jobs, how));
  CompileRunPlan plan{.cancel = how.cancel, .poll = how.poll, .progress = how.progress};
  KMUX_ASSIGN(plan.memory_budget, memory_budget(environment, how));
  plan.jobs = share(jobs, how);
  plan.groups = groups_of(plan.jobs);
  plan.timeout = time_limit(how, plan.groups.size());
  const std::size_t cores = usable_cores();
  const std::size_t wanted = how.num_workers == 0 ? cores : static_cast<std::size_t>(how.num_workers);
  plan.workers = std::min(wanted, plan.groups.size());
  plan.most_compilers = std::max(cores, wanted);
  return plan;
}

std::string label_of(std::span<const CompileJob> jobs, std::size_t index) {
  return std::to_string(index) + " \"" + jobs[index].program.name + "\"";
}

Error cancelled(const CompileCounts& counts) {
  return make_error(ErrorCode::kCancelled, "compiling was cancelled (" + std::to_string(counts.done) + " of " +
                                               std::to_string(counts.total) +
                                               " programs were done). Call it again; the cache has what was done.");
}

/// Returns the first failure in input order, with the others as notes; nothing if no job failed.
std::optional<Error> failure_of(const std::vector<JobGroup>& groups, const CompileRunOutcome& outcome,
                                std::span<const CompileJob> jobs) {
  std::optional<Error> first;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!outcome.groups[i] || outcome.groups[i]->ok()) continue;
    const Error& error = outcome.groups[i]->error();
    const std::string label = label_of(jobs, groups[i].first());
    if (first) {
      first->notes.push_back({"failure", "program " + label + ": " + error.message});
    } else {
      first = error;
      first->notes.insert(first->notes.begin(), {"program", label});
    }
  }
  return first;
}

/// Returns `made` for a further one of identical jobs. A kernel with state is loaded once more for each of them.
Result<Kernel> shared(Runtime& runtime, const CompileJob& job, const Kernel& made) {
  return made.has_state() ? compile(runtime, job.program, job.options) : Result<Kernel>(made);
}

Result<BuildResult> shared(Runtime&, const CompileJob&, const BuildResult& made) { return made; }

/// Returns the result of each job, in input order. All have one where the run was not cancelled and no failure ended it.
template <class Made>
std::vector<Result<Made>> results_of(Runtime& runtime, std::span<const CompileJob> jobs,
                                     const std::vector<JobGroup>& groups, const CompileRunOutcome& outcome) {
  std::vector<Result<Made>> results(jobs.size(), Result<Made>(make_error(ErrorCode::kCancelled, "it was not started")));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!outcome.groups[i]) continue;
    const Result<Product>& product = *outcome.groups[i];
    for (const std::size_t index : groups[i].members) {
      if (!product.ok()) {
        results[index] = product.error();
      } else {
        const Made& made = *std::any_cast<Made>(&product->made);
        results[index] = index == groups[i].first() ? Result<Made>(made) : shared(runtime, jobs[index], made);
      }
    }
  }
  return results;
}

void tell(const JobGroup& group, const Product* made, const JobEnd& ended) {
  const Kernel* const kernel = made == nullptr ? nullptr : std::any_cast<Kernel>(&made->made);
  for (const std::size_t index : group.members) ended(index, kernel);
}

/// Compiles all jobs. `make` compiles one; `backend_of` returns the backend of its product.
template <class Made, class Make, class BackendOf>
Result<std::vector<Result<Made>>> make_all(Runtime& runtime, std::span<const CompileJob> jobs,
                                           const ParCompileOptions& how, AfterFailure after, Make make,
                                           BackendOf backend_of, const JobEnd& ended = {}) {
  KMUX_ASSIGN(CompileRunPlan plan, plan_run(runtime.environment(), jobs, how));
  plan.failure_counts = after == AfterFailure::kEnd;
  plan.make = [&runtime, make, backend_of](const CompileJob& job) -> Result<Product> {
    KMUX_ASSIGN(Made made, make(runtime, job));
    std::string backend = backend_of(made);
    return Product{std::any(std::move(made)), std::move(backend)};
  };
  const std::vector<JobGroup> groups = plan.groups;
  if (ended) plan.ended = [&](std::size_t group, const Product* made) { tell(groups[group], made, ended); };
  const CompileRunOutcome outcome = run_compilation(runtime.impl().compile_pool(), std::move(plan));
  if (outcome.was_cancelled) return cancelled(outcome.counts);
  if (after == AfterFailure::kEnd) {
    if (auto failure = failure_of(groups, outcome, jobs)) return *std::move(failure);
  }
  return results_of<Made>(runtime, jobs, groups, outcome);
}

Result<std::vector<Result<BuildResult>>> build_all(Runtime& runtime, std::span<const CompileJob> jobs,
                                                   const ParCompileOptions& how, AfterFailure after) {
  return make_all<BuildResult>(
      runtime, jobs, how, after, [](Runtime& in, const CompileJob& job) { return build(in, job.program, job.options); },
      [](const BuildResult& built) { return built.backend; });
}

std::vector<CompileJob> jobs_of(std::span<const Program> programs, const CompileOptions& options) {
  std::vector<CompileJob> jobs;
  jobs.reserve(programs.size());
  for (const Program& program : programs) jobs.push_back({program, options});
  return jobs;
}

}  // namespace

Result<std::vector<Result<Kernel>>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                const ParCompileOptions& how, AfterFailure after, const JobEnd& ended) {
  return make_all<Kernel>(
      runtime, jobs, how, after,
      [](Runtime& in, const CompileJob& job) { return compile(in, job.program, job.options); },
      [](const Kernel& kernel) { return kernel.backend(); }, ended);
}

Result<std::vector<Kernel>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                        const ParCompileOptions& how) {
  return guarded_but_callers([&] { return values_of(par_compile(runtime, jobs, how, AfterFailure::kEnd, JobEnd())); });
}

Result<std::vector<Kernel>> par_compile(Runtime& runtime, std::span<const Program> programs,
                                        const CompileOptions& options, const ParCompileOptions& how) {
  return guarded_but_callers([&] { return par_compile(runtime, jobs_of(programs, options), how); });
}

Result<std::vector<Kernel>> par_compile(std::span<const CompileJob> jobs, const ParCompileOptions& how) {
  return guarded_but_callers([&]() -> Result<std::vector<Kernel>> {
    KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
    return par_compile(*runtime, jobs, how);
  });
}

Result<std::vector<Kernel>> par_compile(std::span<const Program> programs, const CompileOptions& options,
                                        const ParCompileOptions& how) {
  return guarded_but_callers([&] { return par_compile(jobs_of(programs, options), how); });
}

Result<std::vector<Result<Kernel>>> try_par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                    const ParCompileOptions& how) {
  return guarded_but_callers([&] { return par_compile(runtime, jobs, how, AfterFailure::kGoOn, JobEnd()); });
}

Result<std::vector<Result<Kernel>>> try_par_compile(Runtime& runtime, std::span<const Program> programs,
                                                    const CompileOptions& options, const ParCompileOptions& how) {
  return guarded_but_callers([&] { return try_par_compile(runtime, jobs_of(programs, options), how); });
}

Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const CompileJob> jobs, const ParCompileOptions& how) {
  return guarded_but_callers([&]() -> Result<std::vector<Result<Kernel>>> {
    KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
    return try_par_compile(*runtime, jobs, how);
  });
}

Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const Program> programs, const CompileOptions& options,
                                                    const ParCompileOptions& how) {
  return guarded_but_callers([&] { return try_par_compile(jobs_of(programs, options), how); });
}

Result<std::vector<BuildResult>> par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                           const ParCompileOptions& how) {
  return guarded_but_callers([&] { return values_of(build_all(runtime, jobs, how, AfterFailure::kEnd)); });
}

Result<std::vector<BuildResult>> par_build(std::span<const CompileJob> jobs, const ParCompileOptions& how) {
  return guarded_but_callers([&]() -> Result<std::vector<BuildResult>> {
    KMUX_ASSIGN(const Shared<Runtime> runtime, Runtime::default_runtime());
    return par_build(*runtime, jobs, how);
  });
}

Result<std::vector<Result<BuildResult>>> try_par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                                       const ParCompileOptions& how) {
  return guarded_but_callers([&] { return build_all(runtime, jobs, how, AfterFailure::kGoOn); });
}

std::string_view to_string(JobStep step) {
  switch (step) {
    case JobStep::kQueued:
      return "queued";
    case JobStep::kStarted:
      return "started";
    case JobStep::kCompiling:
      return "compiling";
    case JobStep::kDone:
      return "done";
    case JobStep::kFailed:
      return "failed";
    case JobStep::kCancelled:
      return "cancelled";
  }
  return "?";
}

}  // namespace kmux
