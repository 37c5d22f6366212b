#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"

namespace kmux {

/// One program of many, with options of its own.
struct CompileJob {
  Program program;  // a valid one
  CompileOptions options = {};  // of this program
  int priority = 0;  // the highest is started first; equal ones in input order
  /// The most that it may take from its start; default: ParCompileOptions::timeout.
  std::optional<std::chrono::milliseconds> timeout = {};
};

/// What happened to a job.
enum class JobStep : std::uint8_t {
  kQueued,
  kStarted,    // a worker looks for it in the cache
  kCompiling,  // it is not there, and there is memory: its compiler runs
  kDone,
  kFailed,     // with its error; a time-out among them
  kCancelled,  // not started, or stopped: it was not wanted any more
};
/// A word for each.
KMUX_API std::string_view to_string(JobStep step);

/// How far all jobs are, right after an event.
struct CompileCounts {
  std::size_t total = 0;  // jobs
  std::size_t running = 0;  // now
  std::size_t done = 0;  // with a result
  std::size_t failed = 0;  // with an error
  std::size_t cancelled = 0;  // before they began, or stopped

  /// The jobs that have ended, whichever way.
  std::size_t finished() const { return done + failed + cancelled; }
  /// The jobs that wait to be started.
  std::size_t queued() const { return total - running - finished(); }
  bool operator==(const CompileCounts&) const = default;
};

/// One event of a parallel compilation.
///
/// Lifetime: borrows; valid during the call that delivers it.
struct CompileProgress {
  JobStep step;  // what the job has reached
  std::size_t index;           // of the job, in input order
  const std::string& program;  // its name
  const CompileCounts& counts;  // of all jobs, now
  const Error* error = nullptr;             // of kFailed
  std::string_view backend = {};            // of kCompiling and kDone
  bool from_cache = false;                  // of kDone: nothing had to be compiled
  std::optional<std::size_t> same_as = {};  // the job that was compiled for it, being identical
  std::chrono::nanoseconds elapsed{};       // of the job since its start
  double rate = 0;                          // jobs that ended, a second
  std::optional<std::chrono::milliseconds> eta = {};  // until all have ended, once it can be estimated
};

/// What one of several programs may take by default: kernels that take a minute are rare.
inline constexpr std::chrono::minutes kUsualTimeout{10};

/// How many programs are compiled at the same time, and what ends them.
struct ParCompileOptions {
  int num_workers = 0;  // 0: one a core that this process may use
  /// Units: bytes that all compilations of this process may take together. Default: KMUX_COMPILE_MEMORY, else what the
  /// machine and the process's control groups have left.
  std::optional<std::uint64_t> memory_budget = {};
  /// The most that one program may take from its start; 0 is no limit. A compiler in a process of its own is killed; one in
  /// this process cannot be: it is left behind, and its result is dropped when it ends. Default: `kUsualTimeout` for
  /// several programs, so that one whose compiler never ends holds up no other; none for one.
  std::optional<std::chrono::milliseconds> timeout = {};
  /// Once stopped, nothing more is started, and what runs ends within 0.2 s: as after a time-out, a compiler is killed or
  /// left behind.
  std::stop_token cancel = {};
  /// Called on the thread that called, about every 20 ms while others compile; what it throws cancels, and is passed on.
  std::function<void()> poll = {};
  /// Told of every event, on the thread that called, one at a time and in the order in which they happened.
  std::function<void(const CompileProgress&)> progress = {};
};

/// Compiles `programs` at the same time and returns the kernel of each, in input order.
///
/// Identical jobs (program and options) are compiled once. A job is started when a worker is free and its plugin's usual
/// memory fits into the budget; one may always run. Where a plugin's manifest has it that its compiler does one thing at a
/// time in a process (`"parallel": "process"`), several programs use processes of their own, unless `isolation` is given.
/// Errors:  the first failure in input order, with the other failures as notes "failure": jobs before it are all
///          compiled, so that it is always the same one; jobs after it that were not started are cancelled.
///          cancelled if `cancel` was stopped before the end; invalid_argument for a negative number of workers or
///          time-out, or a KMUX_COMPILE_MEMORY that is not a size.
/// Threads: any; calls at the same time share cores and memory.
KMUX_API Result<std::vector<Kernel>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                 const ParCompileOptions& how = {});
/// The same options for each.
KMUX_API Result<std::vector<Kernel>> par_compile(Runtime& runtime, std::span<const Program> programs,
                                                 const CompileOptions& options = {}, const ParCompileOptions& how = {});
/// With the default runtime.
KMUX_API Result<std::vector<Kernel>> par_compile(std::span<const CompileJob> jobs, const ParCompileOptions& how = {});
/// With the default runtime, and the same options for each.
KMUX_API Result<std::vector<Kernel>> par_compile(std::span<const Program> programs, const CompileOptions& options = {},
                                                 const ParCompileOptions& how = {});

/// As `par_compile`, and goes on after a failure: returns the kernel of each program, or the error.
///
/// Errors: cancelled and invalid_argument, as above.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                             const ParCompileOptions& how = {});
/// The same options for each.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(Runtime& runtime, std::span<const Program> programs,
                                                             const CompileOptions& options = {},
                                                             const ParCompileOptions& how = {});
/// With the default runtime.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const CompileJob> jobs,
                                                             const ParCompileOptions& how = {});
/// With the default runtime, and the same options for each.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const Program> programs,
                                                             const CompileOptions& options = {},
                                                             const ParCompileOptions& how = {});

/// As `par_compile`, without loading anything: needs no device.
KMUX_API Result<std::vector<BuildResult>> par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                                    const ParCompileOptions& how = {});
/// With the default runtime.
KMUX_API Result<std::vector<BuildResult>> par_build(std::span<const CompileJob> jobs,
                                                    const ParCompileOptions& how = {});

/// As `try_par_compile`, without loading anything: needs no device.
KMUX_API Result<std::vector<Result<BuildResult>>> try_par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                                                const ParCompileOptions& how = {});

}  // namespace kmux
