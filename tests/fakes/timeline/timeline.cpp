#include "timeline.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace kmux::fakes {
namespace {

constexpr std::uint64_t kQuietOneIn = 24;   // one in this many calls of progress begins a quiet time
constexpr std::uint64_t kMaxQuiet = 48;    // calls
constexpr std::uint64_t kMaxAtOnce = 3;    // operations that a call of progress executes

}  // namespace

Timeline::Timeline(std::uint64_t seed) : random_(seed) {}

// Distributions of the standard library differ between implementations.
std::uint64_t Timeline::below(std::uint64_t bound) { return random_() % bound; }

Timeline::Stream Timeline::make_stream(int device, Ordering ordering) {
  const std::lock_guard lock(mutex_);
  lanes_[++made_] = {device, ordering, 0};
  return made_;
}

void Timeline::destroy(Stream stream) {
  const std::lock_guard lock(mutex_);
  const Lane lane = lanes_.at(stream);
  lanes_.erase(stream);
  if (lane.ordering == Ordering::kBlocking && pending_.contains(lane.last)) left_[lane.device].push_back(lane.last);
}

std::vector<Timeline::Operation> Timeline::predecessors_of(const Lane& lane) const {
  std::vector<Operation> found = {lane.last};
  if (lane.ordering == Ordering::kNonBlocking) return found;
  const Ordering others = lane.ordering == Ordering::kLegacy ? Ordering::kBlocking : Ordering::kLegacy;
  for (const auto& [stream, other] : lanes_) {
    if (other.device == lane.device && other.ordering == others) found.push_back(other.last);
  }
  if (lane.ordering == Ordering::kLegacy && left_.contains(lane.device)) {
    const std::vector<Operation>& left = left_.at(lane.device);
    found.insert(found.end(), left.begin(), left.end());
  }
  return found;
}

Timeline::Operation Timeline::add(std::vector<Operation> after, Work work) {
  const Operation operation = ++made_;
  std::erase_if(after, [&](Operation earlier) { return !pending_.contains(earlier); });
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  for (const Operation earlier : after) pending_.at(earlier).before.push_back(operation);
  if (after.empty()) ready_.push_back(operation);
  const std::size_t blockers = after.size();
  pending_[operation] = {std::move(work), std::move(after), {}, blockers};
  return operation;
}

Timeline::Operation Timeline::enqueue(Stream stream, Work work) {
  const std::lock_guard lock(mutex_);
  Lane& lane = lanes_.at(stream);
  return lane.last = add(predecessors_of(lane), std::move(work));
}

Timeline::Operation Timeline::enqueue(Stream stream, std::vector<Step> steps, Operation after) {
  const std::lock_guard lock(mutex_);
  Lane& lane = lanes_.at(stream);
  std::vector<Operation> begin = predecessors_of(lane);
  begin.push_back(after);
  const Operation first = add(std::move(begin), {});
  std::vector<Operation> made;
  for (Step& step : steps) {
    std::vector<Operation> earlier = {first};
    for (const std::size_t index : step.after) earlier.push_back(made.at(index));
    made.push_back(add(std::move(earlier), std::move(step.work)));
  }
  made.push_back(first);
  return lane.last = add(std::move(made), {});
}

void Timeline::record(Event& event, Stream stream) { event.recorded = enqueue(stream, Work()); }

void Timeline::wait(Stream stream, const Event& event) {
  const std::lock_guard lock(mutex_);
  Lane& lane = lanes_.at(stream);
  std::vector<Operation> after = predecessors_of(lane);
  after.push_back(event.recorded);
  lane.last = add(std::move(after), {});
}

bool Timeline::is_complete(Operation operation) const {
  const std::lock_guard lock(mutex_);
  return !pending_.contains(operation);
}

bool Timeline::is_ordered(Operation operation, Stream stream) const {
  const std::lock_guard lock(mutex_);
  std::vector<Operation> open = predecessors_of(lanes_.at(stream));
  std::set<Operation> seen;
  while (!open.empty()) {
    const Operation next = open.back();
    open.pop_back();
    const auto found = pending_.find(next);
    if (found == pending_.end() || !seen.insert(next).second) continue;
    if (next == operation) return true;
    open.insert(open.end(), found->second.after.begin(), found->second.after.end());
  }
  return !pending_.contains(operation);
}

void Timeline::complete(Operation operation) {
  for (const Operation later : pending_.at(operation).before) {
    if (--pending_.at(later).blockers == 0) ready_.push_back(later);
  }
  pending_.erase(operation);
  for (auto& [device, left] : left_) std::erase(left, operation);
}

void Timeline::execute_one(std::unique_lock<std::mutex>& lock) {
  const std::size_t index = below(ready_.size());
  const Operation operation = std::exchange(ready_[index], ready_.back());
  ready_.pop_back();
  const Work work = std::move(pending_.at(operation).work);
  executing_ = std::this_thread::get_id();
  lock.unlock();
  if (work) work();
  lock.lock();
  executing_ = {};
  complete(operation);
  changed_.notify_all();
}

void Timeline::progress() {
  std::unique_lock lock(mutex_);
  if (executing_ != std::thread::id()) return;
  if (quiet_calls_ > 0) {
    --quiet_calls_;
    return;
  }
  if (below(kQuietOneIn) == 0) quiet_calls_ = below(kMaxQuiet);
  for (std::uint64_t count = below(kMaxAtOnce + 1); count > 0; --count) {
    if (ready_.empty() || executing_ != std::thread::id()) return;
    execute_one(lock);
  }
}

void Timeline::synchronize_with(const std::vector<Operation>& goals) {
  std::unique_lock lock(mutex_);
  if (executing_ == std::this_thread::get_id()) throw std::logic_error("an operation waits for the timeline it is on");
  const auto is_open = [&](Operation goal) { return pending_.contains(goal); };
  auto next = goals.begin();  // those before it are complete for good
  while ((next = std::find_if(next, goals.end(), is_open)) != goals.end()) {
    if (executing_ == std::thread::id()) {
      execute_one(lock);
    } else {
      changed_.wait(lock);
    }
  }
}

void Timeline::synchronize(Stream stream) {
  std::vector<Operation> goals;
  {
    const std::lock_guard lock(mutex_);
    const Lane& lane = lanes_.at(stream);
    goals = lane.ordering == Ordering::kLegacy ? predecessors_of(lane) : std::vector{lane.last};
  }
  synchronize_with(goals);
}

void Timeline::synchronize(const Event& event) { synchronize_with({event.recorded}); }

void Timeline::synchronize() {
  std::vector<Operation> goals;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [operation, pending] : pending_) goals.push_back(operation);
  }
  synchronize_with(goals);
}

}  // namespace kmux::fakes
