#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kmux/error.h"

#include "admission.h"
#include "system/fork_guard.h"

namespace kmux {

/// The usual cost of a compilation.
struct CompileCost {
  std::uint64_t peak_bytes = 0;
  double milliseconds = 0;
  bool operator==(const CompileCost&) const = default;
};

/// The costs of compilations so far, by the name under which they were learned; kept in a file between processes.
///
/// A larger peak counts at once, a smaller one slowly: exceeding memory is worse than waiting.
///
/// Threads: any. Processes may share the file; if both have learned one cost, the last one that saves wins.
class CompileCosts {
 public:
  /// Keeps costs in `file`, whose folder must have been checked; without a file, keeps nothing.
  explicit CompileCosts(std::filesystem::path file = {}) : file_(std::move(file)) {}

  std::optional<CompileCost> of(const std::string& name);
  void learn(const std::string& name, const CompileCost& measured);

  /// Writes the learned costs, merged with those that other processes have written meanwhile.
  ///
  /// Errors: those of writing; only the learned costs are lost.
  Status save();

 private:
  using Costs = std::map<std::string, CompileCost>;
  void read_once();

  std::filesystem::path file_;
  std::mutex mutex_;
  bool was_read_ = false;
  Costs kept_;     // as read, and learned since
  Costs learned_;  // since the last `save`
};

/// Returns the costs in a file's text; none for a damaged text. Impossible entries are left out.
std::map<std::string, CompileCost> costs_from_json(std::string_view text);
std::string costs_to_json(const std::map<std::string, CompileCost>& costs);

/// The threads whose compiler was cancelled but cannot be interrupted.
///
/// Threads: any.   Lifetime: the destructor joins all. The end of the process does not wait for them.
class AbandonedThreads {
 public:
  AbandonedThreads() = default;
  ~AbandonedThreads();
  AbandonedThreads(const AbandonedThreads&) = delete;
  AbandonedThreads& operator=(const AbandonedThreads&) = delete;

  void adopt(std::thread thread);

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  const std::uint64_t generation_ = fork_generation();
};

class ArtifactCache;
class IsolatedPlugins;

/// The shared state of a runtime's parallel compilations, so that several together take no more cores and memory than
/// one: admission, usual costs, and abandoned threads.
///
/// Threads: any.   Lifetime: borrows the workers; the destructor waits for abandoned threads.
class CompilePool {
 public:
  /// Keeps costs in the folder of `cache`, if it is not null and can be written to.
  CompilePool(const ArtifactCache* cache, IsolatedPlugins& workers);

  Admission& admission() { return *admission_; }
  CompileCosts& costs() { return costs_; }
  IsolatedPlugins& workers() { return workers_; }
  AbandonedThreads& abandoned_threads() { return *abandoned_threads_; }

 private:
  std::shared_ptr<Admission> admission_ = std::make_shared<Admission>();
  CompileCosts costs_;
  IsolatedPlugins& workers_;
  std::shared_ptr<AbandonedThreads> abandoned_threads_ =
      std::make_shared<AbandonedThreads>();  // destroyed first: they use the rest
};

}  // namespace kmux
