#include "admission.h"

#include <algorithm>

namespace kmux {

Admission::Permit::~Permit() {
  {
    const std::lock_guard lock(owner_->mutex_);
    owner_->used_ -= bytes_;
    if (counts_) --owner_->running_;
  }
  owner_->changed_.notify_all();
}

void Admission::Permit::leave_behind() {
  {
    const std::lock_guard lock(owner_->mutex_);
    if (counts_) --owner_->running_;
    counts_ = false;
  }
  owner_->changed_.notify_all();
}

bool Admission::fits(const Request& request) const {
  if (running_ == 0) return true;
  const bool has_memory = used_ <= request.budget && request.bytes <= request.budget - used_;
  return running_ < request.most && has_memory;
}

std::shared_ptr<Admission::Permit> Admission::acquire(const Request& request,
                                                      const std::function<bool()>& is_unwanted) {
  std::unique_lock lock(mutex_);
  const auto place = line_.insert(line_.end(), &request);
  bool unwanted = false;
  changed_.wait(lock, [&] {
    unwanted = is_unwanted();
    return unwanted || (line_.front() == &request && fits(request));
  });
  line_.erase(place);
  changed_.notify_all();  // the next in line may fit, too
  if (unwanted) return nullptr;
  used_ += request.bytes;
  ++running_;
  return std::shared_ptr<Permit>(new Permit(shared_from_this(), request.bytes));
}

void Admission::reconsider() {
  {
    const std::lock_guard lock(mutex_);
  }  // a request that was just made is waiting now
  changed_.notify_all();
}

void CompilePace::expect(Duration usual) {
  if (!expected_) expected_ = usual;
}

void CompilePace::ended(Duration took) {
  total_ += took;
  ++count_;
}

std::optional<CompilePace::Duration> CompilePace::average() const {
  return count_ == 0 ? expected_ : std::optional(total_ / static_cast<double>(count_));
}

double CompilePace::rate(std::size_t finished, Duration elapsed) const {
  return elapsed.count() > 0 ? static_cast<double>(finished) / elapsed.count() : 0;
}

std::optional<CompilePace::Duration> CompilePace::left(std::size_t queued, std::span<const Duration> running_since,
                                                       std::size_t workers) const {
  const auto one = average();
  if (!one) return std::nullopt;
  Duration work = *one * static_cast<double>(queued);
  for (const Duration since : running_since) work += std::max(*one - since, Duration{});
  const std::size_t rows = std::min(workers, queued + running_since.size());
  return rows == 0 ? Duration{} : work / static_cast<double>(rows);
}

}  // namespace kmux
