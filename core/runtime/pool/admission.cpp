#include "admission.h"

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

bool Admission::fits(const Wish& wish) const {
  if (running_ == 0) return true;
  const bool has_memory = used_ <= wish.budget && wish.bytes <= wish.budget - used_;
  return running_ < wish.most && has_memory;
}

std::shared_ptr<Admission::Permit> Admission::acquire(const Wish& wish, const std::function<bool()>& is_unwanted) {
  std::unique_lock lock(mutex_);
  const auto place = line_.insert(line_.end(), &wish);
  bool unwanted = false;
  changed_.wait(lock, [&] {
    unwanted = is_unwanted();
    return unwanted || (line_.front() == &wish && fits(wish));
  });
  line_.erase(place);
  changed_.notify_all();  // the next in line may fit, too
  if (unwanted) return nullptr;
  used_ += wish.bytes;
  ++running_;
  return std::shared_ptr<Permit>(new Permit(shared_from_this(), wish.bytes));
}

void Admission::reconsider() {
  {
    const std::lock_guard lock(mutex_);
  }  // whoever has just asked is waiting now
  changed_.notify_all();
}

}  // namespace kmux
