#pragma once

#include <any>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/par_compile.h"

#include "job_queue.h"

namespace kmux {

class CompilePool;

/// The product of a job.
struct Product {
  std::any made;
  std::string backend;
};

/// The plan of a parallel compilation.
struct CompileRunPlan {
  std::vector<std::shared_ptr<const CompileJob>> jobs = {};
  std::vector<JobGroup> groups = {};
  std::function<Result<Product>(const CompileJob& job)> make = {};  // on several threads
  /// Receives each group once, as it ends: its product, or null. Called under a lock of the run, so it must neither wait nor throw.
  std::function<void(std::size_t group, const Product* made)> ended = {};
  bool failure_counts = true;  // cancels the jobs after it
  std::size_t workers = 1;
  std::uint64_t memory_budget = 0;
  std::size_t most_compilers = 1;  // of all runs of the runtime together
  std::optional<std::chrono::milliseconds> timeout = {};
  std::stop_token cancel = {};
  std::function<void()> poll = {};
  std::function<void(const CompileProgress&)> progress = {};
  bool keeps_costs = true;  // the costs of compilers are written to disk
};

/// The outcome of a plan.
struct CompileRunOutcome {
  std::vector<std::optional<Result<Product>>> groups;  // nothing for those that were cancelled
  CompileCounts counts;
  bool was_cancelled = false;  // by the token, before the end
};

/// Runs `plan`. A job left behind after a time-out or cancellation continues in a thread of `pool`.
/// Every other job has ended when this returns, or rethrows an exception of `progress` or `poll`.
CompileRunOutcome run_compilation(CompilePool& pool, CompileRunPlan plan);

/// Returns the time limit of each of `programs` different programs whose job has none: 0 and an absent value mean no limit.
inline std::optional<std::chrono::milliseconds> time_limit(const ParCompileOptions& how, std::size_t programs) {
  if (how.timeout || programs < 2) return how.timeout;
  return kUsualTimeout;
}

}  // namespace kmux
