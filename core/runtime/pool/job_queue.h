#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kmux/par_compile.h"

namespace kmux {

/// Identical jobs, which are one compilation, by their place in the input; the first one represents all.
struct JobGroup {
  std::vector<std::size_t> members;
  int priority = 0;  // the highest of theirs

  std::size_t first() const { return members.front(); }
};

/// Returns the groups of `jobs`, in the order of their first members.
std::vector<JobGroup> group_identical(std::span<const CompileJob* const> jobs);

/// The queue of groups: chooses the next group to compile and cancels those that are not needed any more.
///
/// If a failure counts, groups after it in the input are not started any more. Groups before it are, so that the first
/// failure is always the same one.
///
/// Threads: one at a time.
class JobQueue {
 public:
  JobQueue(std::vector<JobGroup> groups, bool failure_counts);

  const JobGroup& group(std::size_t index) const { return groups_[index]; }
  std::size_t size() const { return groups_.size(); }

  /// Starts the queued group of the highest priority, the first of equal ones, and returns it; nothing if none is
  /// queued.
  std::optional<std::size_t> start_next();

  /// Ends a group that was started.
  ///
  /// Returns the groups that were queued and are cancelled now.
  std::vector<std::size_t> end(std::size_t index, JobStep how);
  /// Cancels all queued groups, and returns them.
  std::vector<std::size_t> cancel_queued();

  bool has_queued() const { return queued_ != 0; }
  bool is_over() const { return queued_ == 0 && running_ == 0; }
  /// Returns the counts of jobs, not of groups.
  const CompileCounts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t { kQueued, kRunning, kEnded };
  std::vector<std::size_t> cancel_from(std::size_t first);

  std::vector<JobGroup> groups_;
  bool failure_counts_;
  std::vector<State> states_;
  std::vector<std::size_t> order_;  // by priority
  std::size_t next_ = 0;  // place in `order_`; those before it have been started or cancelled
  std::size_t queued_;
  std::size_t running_ = 0;
  CompileCounts counts_;
};

}  // namespace kmux
