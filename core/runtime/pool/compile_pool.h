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

/// What a compilation takes, usually.
struct CompileCost {
  std::uint64_t peak_bytes = 0;
  double milliseconds = 0;
  bool operator==(const CompileCost&) const = default;
};

/// What compilations have taken so far, by the name under which they were learned; kept in a file between processes.
///
/// A larger peak counts at once, a smaller one slowly: too much memory is worse than waiting.
/// Threads: any. Processes may share the file; the last one that saves wins where both have learned.
class CompileCosts {
 public:
  /// Without a `file` nothing is kept. Its folder must be one that was checked.
  explicit CompileCosts(std::filesystem::path file = {}) : file_(std::move(file)) {}

  std::optional<CompileCost> of(const std::string& name);
  void learn(const std::string& name, const CompileCost& measured);

  /// Writes what was learned, with what others have written meanwhile.
  ///
  /// Errors: those of writing; nothing is lost but what would have been kept.
  Status save();

 private:
  using Costs = std::map<std::string, CompileCost>;
  void read_once();

  std::filesystem::path file_;
  std::mutex mutex_;
  bool was_read_ = false;
  Costs kept_;     // as read, and learned since
  Costs learned_;  // what is to be saved
};

/// The costs that a file's text holds; nothing for one that is damaged. An entry that cannot be true is left out.
std::map<std::string, CompileCost> costs_from_json(std::string_view text);
std::string costs_to_json(const std::map<std::string, CompileCost>& costs);

/// Threads whose compiler was cancelled but cannot be interrupted: they are joined in the end.
///
/// Threads: any.   Lifetime: the destructor waits for all. The end of the process does not.
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

/// What the parallel compilations of a runtime share, so that several at the same time take no more cores and memory than
/// one: who may compile, what it takes usually, and what was left behind.
///
/// Threads: any.   Lifetime: the destructor waits for what was left behind.
class CompilePool {
 public:
  /// Costs are kept in the folder of `cache`, if there is one that can be written to.
  explicit CompilePool(const ArtifactCache* cache);

  Admission& admission() { return *admission_; }
  CompileCosts& costs() { return costs_; }
  AbandonedThreads& abandoned_threads() { return *abandoned_threads_; }

 private:
  std::shared_ptr<Admission> admission_ = std::make_shared<Admission>();
  CompileCosts costs_;
  std::shared_ptr<AbandonedThreads> abandoned_threads_ =
      std::make_shared<AbandonedThreads>();  // the first to go: they use the rest
};

}  // namespace kmux
