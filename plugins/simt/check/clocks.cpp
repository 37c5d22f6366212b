#include "simt/check/clocks.h"

#include <algorithm>

namespace kmux::simt {

void Times::raise(Actor actor, Time time) {
  if (time == 0) return;
  if (actor >= times_.size()) times_.resize(actor + 1);
  times_[actor] = std::max(times_[actor], time);
}

void Times::raise_lanes(Actor first, const std::array<Time, kClockLanes>& lanes) {
  if (first + kClockLanes > times_.size()) times_.resize(first + kClockLanes);
  Time* const own = times_.data() + first;
  for (unsigned i = 0; i < kClockLanes; ++i) own[i] = std::max(own[i], lanes[i]);
}

void Times::raise_to(std::array<Time, kClockLanes>& lanes, Actor first) const {
  if (first >= times_.size()) return;
  const Time* const own = times_.data() + first;
  if (first + kClockLanes <= times_.size()) {
    for (unsigned i = 0; i < kClockLanes; ++i) lanes[i] = std::max(lanes[i], own[i]);
  } else {
    for (std::size_t i = 0; i < times_.size() - first; ++i) lanes[i] = std::max(lanes[i], own[i]);
  }
}

void Times::join(const Times& other) {
  if (other.times_.size() > times_.size()) times_.resize(other.times_.size());
  for (std::size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
}

bool Times::covers(const Times& other) const {
  const std::size_t both = std::min(times_.size(), other.times_.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (times_[i] < other.times_[i]) return false;
  }
  return std::all_of(other.times_.begin() + static_cast<std::ptrdiff_t>(both), other.times_.end(),
                     [](Time time) { return time == 0; });
}

void Clock::join(const Clock& other) {
  known.join(other.known);
  fenced.join(other.fenced);
}

namespace {

/// The last results of an operation on two clocks: all threads of a role ask for the same one.
class ClockMemo {
 public:
  template <class Make>
  SharedClock operator()(const SharedClock& a, const SharedClock& b, const Make& make) {
    for (const Entry& entry : entries_) {
      if (entry.a == a && entry.b == b) return entry.result;
    }
    SharedClock result = make();
    entries_[next_++ % entries_.size()] = {a, b, result};
    return result;
  }

 private:
  struct Entry {
    SharedClock a, b, result;
  };
  std::array<Entry, 8> entries_;
  std::size_t next_ = 0;
};

SharedClock compute_join(const SharedClock& a, const SharedClock& b) {
  if (b->covers(*a)) return b;
  if (a->covers(*b)) return a;
  const boost::intrusive_ptr<Clock> both(new Clock(*a));
  both->join(*b);
  return both;
}

const SharedClock& empty_clock() {
  static thread_local const SharedClock clock(new Clock);
  return clock;
}

}  // namespace

SharedClock joined(const SharedClock& a, const SharedClock& b) {
  static thread_local ClockMemo memo;
  return a == b ? a : memo(a, b, [&] { return compute_join(a, b); });
}

SharedClock after_fence(const SharedClock& clock) {
  static thread_local ClockMemo memo;
  return memo(clock, nullptr, [&]() -> SharedClock {
    if (clock->fenced.covers(clock->known)) return clock;
    const boost::intrusive_ptr<Clock> fenced(new Clock(*clock));
    fenced->fenced.join(clock->known);
    return fenced;
  });
}

ThreadClock::ThreadClock(Actor first, unsigned lane) : base_(empty_clock()), first_(first), lane_(lane) {
  known_[lane] = 1;
}

bool ThreadClock::is_after_work(Actor actor, Time time) const {
  for (const WorkGroups* const work : {&bulk, &copies, &products}) {
    if (work->actor == actor) return work->known >= time;
  }
  return false;
}

void ThreadClock::fence() {
  base_ = after_fence(base_);
  fenced_ = known_;
  has_fences_ = true;
  advance();
}

// Begins to hold the times of other lanes.
void ThreadClock::unfold() {
  if (!is_plain_) return;
  is_plain_ = false;
  const Time own = known_[lane_], own_fenced = fenced_[lane_];
  known_ = fenced_ = {};
  known_[lane_] = own;
  fenced_[lane_] = own_fenced;
  base_->known.raise_to(known_, first_);
  base_->fenced.raise_to(fenced_, first_);
}

// Leaves the times of other lanes to the base if it has them.
void ThreadClock::fold() {
  if (is_plain_) return;
  base_->known.raise_to(known_, first_);
  base_->fenced.raise_to(fenced_, first_);
  bool is_of_base = true;
  for (unsigned i = 0; i < kClockLanes; ++i) {
    const bool is_same = known_[i] == base_->known.of(first_ + i) && fenced_[i] == base_->fenced.of(first_ + i);
    is_of_base = is_of_base && (i == lane_ || is_same);
  }
  is_plain_ = is_of_base;
}

void ThreadClock::acquire(BarrierClock& barrier) {
  base_ = barrier.joined_with(base_);
  fold();
}

// Work of this lane alone must be in the base, so that other lanes acquire it.
SharedClock ThreadClock::base_with_work() const {
  SharedClock base = base_;
  for (const WorkGroups* const work : {&bulk, &copies}) {
    if (work->known == 0 || work->known <= base->known.of(work->actor)) continue;
    const boost::intrusive_ptr<Clock> more(new Clock(*base));
    more->known.raise(work->actor, work->known);
    base = more;
  }
  return base;
}

void ThreadClock::merge(const ThreadClock& other) {
  base_ = joined(base_, other.base_with_work());
  unfold();
  base_->known.raise_to(known_, first_);
  base_->fenced.raise_to(fenced_, first_);
  for (unsigned i = 0; i < kClockLanes; ++i) {
    if (!other.has_lane(i)) continue;
    known_[i] = std::max(known_[i], other.known_[i]);
    fenced_[i] = std::max(fenced_[i], other.fenced_[i]);
  }
  has_fences_ = has_fences_ || other.has_fences_;
  products.known = std::max(products.known, other.products.known);
}

void ThreadClock::add_to(Clock& clock) const {
  if (is_plain_) {
    clock.known.raise(first_ + lane_, known_[lane_]);
    clock.fenced.raise(first_ + lane_, fenced_[lane_]);
  } else {
    clock.known.raise_lanes(first_, known_);
    clock.fenced.raise_lanes(first_, fenced_);
  }
  for (const WorkGroups* const work : {&bulk, &copies, &products}) {
    if (work->known != 0) clock.known.raise(work->actor, work->known);
  }
}

namespace {

bool has_own_work(const ThreadClock& lane) { return lane.bulk.known != 0 || lane.copies.known != 0; }

}  // namespace

// The latest time of a lane is in its own clock. So without fences and work, a full warp takes each time from its lane.
void meet(std::span<ThreadClock* const> lanes) {
  const ThreadClock& first = *lanes.front();
  ThreadClock all = first;
  const auto is_like_first = [&](const ThreadClock* lane) {
    return lane->base_ == first.base_ && !lane->has_fences_ && !has_own_work(*lane);
  };
  if (lanes.size() == kClockLanes && first.base_->fenced.is_empty() && std::ranges::all_of(lanes, is_like_first)) {
    all.unfold();
    for (const ThreadClock* const lane : lanes) {
      all.known_[lane->lane_] = lane->now();
      all.products.known = std::max(all.products.known, lane->products.known);
    }
  } else {
    for (const ThreadClock* const lane : lanes) all.merge(*lane);
  }
  for (ThreadClock* const lane : lanes) {
    lane->base_ = all.base_;
    lane->known_ = all.known_;
    lane->fenced_ = all.fenced_;
    lane->has_fences_ = all.has_fences_;
    lane->is_plain_ = false;
    lane->products.known = all.products.known;
    lane->advance();
  }
}

void BarrierClock::arrive(ThreadClock& thread) {
  if (thread.base() != last_base_) {
    pending_.join(*thread.base());
    last_base_ = thread.base();
  }
  thread.add_to(pending_);
  thread.advance();
}

void BarrierClock::complete() {
  if (last_base_ == nullptr) return;  // the kernel is not checked
  done_ = new Clock(pending_);
  base_ = nullptr;
}

const SharedClock& BarrierClock::joined_with(const SharedClock& base) {
  if (base == base_) return joined_;
  joined_ = done_ == nullptr ? base : joined(base, done_);
  base_ = base;
  return joined_;
}

}  // namespace kmux::simt
