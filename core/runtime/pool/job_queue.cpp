#include "job_queue.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace kmux {
namespace {

/// Returns a cheap hash that differs for most different programs.
std::size_t fingerprint_of(const CompileJob& job) {
  std::size_t seed = std::hash<std::string>{}(job.program.name);
  for (const Variant& variant : job.program.variants)
    for (const File& file : variant.sources) seed = seed * 31 + std::hash<std::string>{}(file.content);
  return seed;
}

bool is_identical(const CompileJob& a, const CompileJob& b) {
  return a.options == b.options && a.timeout == b.timeout && a.program == b.program;
}

}  // namespace

std::vector<JobGroup> group_identical(std::span<const CompileJob* const> jobs) {
  std::vector<JobGroup> groups;
  std::unordered_map<std::size_t, std::vector<std::size_t>> known;  // groups by fingerprint
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::vector<std::size_t>& alike = known[fingerprint_of(*jobs[i])];
    const auto same = std::ranges::find_if(
        alike, [&](std::size_t group) { return is_identical(*jobs[groups[group].first()], *jobs[i]); });
    if (same == alike.end()) {
      alike.push_back(groups.size());
      groups.push_back({{i}, jobs[i]->priority});
    } else {
      JobGroup& group = groups[*same];
      group.members.push_back(i);
      group.priority = std::max(group.priority, jobs[i]->priority);
    }
  }
  return groups;
}

JobQueue::JobQueue(std::vector<JobGroup> groups, bool failure_counts)
    : groups_(std::move(groups)),
      failure_counts_(failure_counts),
      states_(groups_.size(), State::kQueued),
      order_(groups_.size()),
      queued_(groups_.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::sort(order_, {}, [this](std::size_t i) { return std::pair(-std::int64_t{groups_[i].priority}, i); });
  for (const JobGroup& group : groups_) counts_.total += group.members.size();
}

std::optional<std::size_t> JobQueue::start_next() {
  while (next_ < order_.size() && states_[order_[next_]] != State::kQueued) ++next_;
  if (next_ == order_.size()) return std::nullopt;
  const std::size_t index = order_[next_++];
  states_[index] = State::kRunning;
  --queued_;
  ++running_;
  counts_.running += groups_[index].members.size();
  return index;
}

std::vector<std::size_t> JobQueue::end(std::size_t index, JobStep how) {
  const std::size_t members = groups_[index].members.size();
  states_[index] = State::kEnded;
  --running_;
  counts_.running -= members;
  (how == JobStep::kDone ? counts_.done : how == JobStep::kFailed ? counts_.failed : counts_.cancelled) += members;
  if (how != JobStep::kFailed || !failure_counts_) return {};
  return cancel_from(index + 1);
}

std::vector<std::size_t> JobQueue::cancel_queued() { return cancel_from(0); }

std::vector<std::size_t> JobQueue::cancel_from(std::size_t first) {
  std::vector<std::size_t> cancelled;
  for (std::size_t i = first; i < groups_.size(); ++i) {
    if (states_[i] != State::kQueued) continue;
    states_[i] = State::kEnded;
    --queued_;
    counts_.cancelled += groups_[i].members.size();
    cancelled.push_back(i);
  }
  return cancelled;
}

}  // namespace kmux
