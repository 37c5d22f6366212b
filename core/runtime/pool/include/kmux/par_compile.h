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

/// One program of a parallel compilation, with its options.
struct CompileJob {
  Program program;  // must be valid
  CompileOptions options = {};  // of this program
  int priority = 0;  // the highest is started first; equal ones in input order
  /// The time limit of the job from its start; default: ParCompileOptions::timeout.
  std::optional<std::chrono::milliseconds> timeout = {};
};

/// The state that a job has reached.
enum class JobStep : std::uint8_t {
  kQueued,
  kStarted,    // a worker looks for it in the cache
  kCompiling,  // it is not cached, and memory is available: its compiler runs
  kDone,
  kFailed,     // with its error, which may be a time-out
  kCancelled,  // not started, or stopped: no caller needs it any more
};
/// Returns a word for each step.
KMUX_API std::string_view to_string(JobStep step);

/// The number of jobs in each state, right after an event.
struct CompileCounts {
  std::size_t total = 0;  // jobs
  std::size_t running = 0;  // now
  std::size_t done = 0;  // with a result
  std::size_t failed = 0;  // with an error
  std::size_t cancelled = 0;  // before they began, or stopped

  /// Returns the number of jobs that have ended, whichever way.
  std::size_t finished() const { return done + failed + cancelled; }
  /// Returns the number of jobs that wait to be started.
  std::size_t queued() const { return total - running - finished(); }
  bool operator==(const CompileCounts&) const = default;
};

/// One event of a parallel compilation.
///
/// Lifetime: borrows; valid only during the call that delivers it.
struct CompileProgress {
  JobStep step;  // that the job has reached
  std::size_t index;           // of the job, in input order
  const std::string& program;  // its name
  const CompileCounts& counts;  // of all jobs, now
  const Error* error = nullptr;             // of kFailed
  std::string_view backend = {};            // of kCompiling and kDone
  bool from_cache = false;                  // of kDone: nothing had to be compiled
  std::optional<std::size_t> same_as = {};  // the identical job that was compiled in its place
  std::chrono::nanoseconds elapsed{};       // of the job since its start
  double rate = 0;                          // jobs ended per second
  std::optional<std::chrono::milliseconds> eta = {};  // until all have ended, once it can be estimated
};

/// The default time limit of each of several programs: kernels that take a minute are rare.
inline constexpr std::chrono::minutes kUsualTimeout{10};

/// The limits of a parallel compilation.
struct ParCompileOptions {
  int num_workers = 0;  // 0: one per core that this process may use
  /// The memory that all compilations of this process may take together. Default: KMUX_COMPILE_MEMORY, else the memory
  /// left on the machine and in the process's control groups.
  ///
  /// Units: bytes.
  std::optional<std::uint64_t> memory_budget = {};
  /// The time limit of one program from its start; 0 means no limit. A compiler in a separate process is killed. A
  /// compiler in this process cannot be killed: it runs on, and its result is dropped. Default: `kUsualTimeout` for
  /// several programs, so that a compiler that never ends does not block the others; none for one program.
  std::optional<std::chrono::milliseconds> timeout = {};
  /// Once stopped, no job is started any more, and running jobs end within 0.2 s: as after a time-out, a compiler is
  /// killed or left running.
  std::stop_token cancel = {};
  /// Called on the caller's thread about every 20 ms while others compile. An exception cancels, and is rethrown to the
  /// caller.
  std::function<void()> poll = {};
  /// Called for every event on the caller's thread, one at a time and in the order in which they happened.
  std::function<void(const CompileProgress&)> progress = {};
};

/// Compiles `jobs` in parallel and returns the kernel of each, in input order.
///
/// Identical jobs (program and options) are compiled once; a kernel with state is loaded once for each of them. A compiler is started when a worker is free and its plugin's
/// usual memory fits into the budget; one may always run. If a plugin's manifest declares that its compiler is serial
/// within a process (`"parallel": "process"`), several programs use separate processes, unless `isolation` is given.
///
/// Errors:  the first failure in input order, with the other failures as notes "failure". All jobs before it are
///          compiled, so it is always the same one; jobs after it that were not started are cancelled.
///          cancelled if `cancel` was stopped before the end; invalid_argument for a negative number of workers or
///          time-out, or a KMUX_COMPILE_MEMORY that is not a size.
/// Threads: any; concurrent calls share cores and memory.
KMUX_API Result<std::vector<Kernel>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                 const ParCompileOptions& how = {});
/// As above, with the same options for each.
KMUX_API Result<std::vector<Kernel>> par_compile(Runtime& runtime, std::span<const Program> programs,
                                                 const CompileOptions& options = {}, const ParCompileOptions& how = {});
/// As above, with the default runtime.
KMUX_API Result<std::vector<Kernel>> par_compile(std::span<const CompileJob> jobs, const ParCompileOptions& how = {});
/// As above, with the default runtime and the same options for each.
KMUX_API Result<std::vector<Kernel>> par_compile(std::span<const Program> programs, const CompileOptions& options = {},
                                                 const ParCompileOptions& how = {});

/// As `par_compile`, but continues after a failure: returns the kernel of each program, or its error.
///
/// Errors: cancelled and invalid_argument, as above.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                             const ParCompileOptions& how = {});
/// As above, with the same options for each.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(Runtime& runtime, std::span<const Program> programs,
                                                             const CompileOptions& options = {},
                                                             const ParCompileOptions& how = {});
/// As above, with the default runtime.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const CompileJob> jobs,
                                                             const ParCompileOptions& how = {});
/// As above, with the default runtime and the same options for each.
KMUX_API Result<std::vector<Result<Kernel>>> try_par_compile(std::span<const Program> programs,
                                                             const CompileOptions& options = {},
                                                             const ParCompileOptions& how = {});

/// As `par_compile`, without loading anything: needs no device.
KMUX_API Result<std::vector<BuildResult>> par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                                    const ParCompileOptions& how = {});
/// As above, with the default runtime.
KMUX_API Result<std::vector<BuildResult>> par_build(std::span<const CompileJob> jobs,
                                                    const ParCompileOptions& how = {});

/// As `try_par_compile`, without loading anything: needs no device.
KMUX_API Result<std::vector<Result<BuildResult>>> try_par_build(Runtime& runtime, std::span<const CompileJob> jobs,
                                                                const ParCompileOptions& how = {});

}  // namespace kmux
