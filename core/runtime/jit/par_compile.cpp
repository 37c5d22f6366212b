#include "kmux/par_compile.h"

#include "kmux/log.h"

namespace kmux {
namespace {

/// One after the other, on this thread.
template <class Made, class Make>
Result<std::vector<std::optional<Made>>> make_all(std::span<const CompileJob> jobs, const ParCompileOptions& how,
                                                  Make make) {
  std::vector<std::optional<Made>> all(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Result<Made> made = make(jobs[i]);
    if (made) {
      all[i] = *std::move(made);
    } else if (how.ignore_error) {
      log(LogLevel::kWarning, "program \"" + jobs[i].program.name + "\" is left out: " + made.error().message);
    } else {
      return std::move(made).error();
    }
  }
  return all;
}

std::vector<CompileJob> jobs_of(std::span<const Program> programs, const CompileOptions& options) {
  std::vector<CompileJob> jobs;
  jobs.reserve(programs.size());
  for (const Program& program : programs) jobs.push_back({program, options});
  return jobs;
}

}  // namespace

Result<std::vector<std::optional<Kernel>>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                       const ParCompileOptions& how) {
  return make_all<Kernel>(jobs, how, [&](const CompileJob& job) { return compile(runtime, job.program, job.options); });
}

Result<std::vector<std::optional<BuildResult>>> par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                                          const ParCompileOptions& how) {
  return make_all<BuildResult>(jobs, how,
                               [&](const CompileJob& job) { return build(runtime, job.program, job.options); });
}

Result<std::vector<std::optional<Kernel>>> par_compile(Runtime& runtime, std::span<const Program> programs,
                                                       const CompileOptions& options, const ParCompileOptions& how) {
  return par_compile(runtime, jobs_of(programs, options), how);
}

Result<std::vector<std::optional<Kernel>>> par_compile(std::span<const CompileJob> jobs, const ParCompileOptions& how) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return par_compile(*runtime, jobs, how);
}

Result<std::vector<std::optional<Kernel>>> par_compile(std::span<const Program> programs, const CompileOptions& options,
                                                       const ParCompileOptions& how) {
  return par_compile(jobs_of(programs, options), how);
}

Result<std::vector<std::optional<BuildResult>>> par_build(std::span<const CompileJob> jobs,
                                                          const ParCompileOptions& how) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, Runtime::default_runtime());
  return par_build(*runtime, jobs, how);
}

}  // namespace kmux
