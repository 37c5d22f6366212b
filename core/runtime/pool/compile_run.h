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

/// What a job made.
struct Product {
  std::any made;
  std::string backend;
};

/// What a parallel compilation is to do.
struct CompileRunPlan {
  std::vector<std::shared_ptr<const CompileJob>> jobs = {};
  std::vector<JobGroup> groups = {};
  std::function<Result<Product>(const CompileJob& job)> make = {};  // on several threads
  /// Receives each group once, as it ends: its product, or null. Called under a lock of the run, so it must neither wait nor throw.
  std::function<void(std::size_t group, const Product* made)> ended = {};
  bool failure_counts = true;  // it cancels what comes after it
  std::size_t workers = 1;
  std::uint64_t memory_budget = 0;
  std::size_t most_compilers = 1;  // of all runs of the runtime together
  std::optional<std::chrono::milliseconds> timeout = {};
  std::stop_token cancel = {};
  std::function<void()> poll = {};
  std::function<void(const CompileProgress&)> progress = {};
  bool keeps_costs = true;  // what compilers took is written to disk
};

/// What became of it.
struct CompileRunOutcome {
  std::vector<std::optional<Result<Product>>> groups;  // nothing for those that were cancelled
  CompileCounts counts;
  bool was_cancelled = false;  // by the token, before the end
};

/// Does it. What was left behind after a time-out, or after the end was wanted, goes on in a thread of the runtime's
/// CompilePool; everything else has ended when this returns, also by an exception of `progress` or `poll`, which is passed
/// on.
CompileRunOutcome run_compilation(Runtime& runtime, CompileRunPlan plan);

/// What each of `programs` different programs may take, where its job does not say: 0 and nothing are no limit.
inline std::optional<std::chrono::milliseconds> time_limit(const ParCompileOptions& how, std::size_t programs) {
  if (how.timeout || programs < 2) return how.timeout;
  return kUsualTimeout;
}

}  // namespace kmux
