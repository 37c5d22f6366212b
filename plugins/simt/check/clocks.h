#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

struct kmux_cpu_site;

namespace kmux::simt {

/// The number of a thread or unit of a cluster whose accesses are ordered (check/actors.h).
using Actor = std::uint32_t;
/// The number of an actor's steps: accesses between two steps have the same time. 0: none.
using Time = std::uint32_t;

inline constexpr Actor kNoActor = ~Actor{0};
inline constexpr unsigned kClockLanes = 32;  // of a warp

/// A time for each actor.
class Times {
 public:
  Time of(Actor actor) const { return actor < times_.size() ? times_[actor] : 0; }
  void raise(Actor actor, Time time);
  /// Raises the times of the actors from `first` on to at least `lanes`.
  void raise_lanes(Actor first, const std::array<Time, kClockLanes>& lanes);
  /// Raises `lanes` to at least the times of the actors from `first` on.
  void raise_to(std::array<Time, kClockLanes>& lanes, Actor first) const;
  void join(const Times& other);
  /// Returns true if no time of `other` is later.
  bool covers(const Times& other) const;
  bool is_empty() const { return times_.empty(); }

 private:
  std::vector<Time> times_;
};

/// The accesses that happened before: of each actor, those up to a time.
struct Clock : boost::intrusive_ref_counter<Clock, boost::thread_unsafe_counter> {
  Times known;
  Times fenced;  // those of threads that units may rely on: a proxy fence came after them

  void join(const Clock& other);
  bool covers(const Clock& other) const { return known.covers(other.known) && fenced.covers(other.fenced); }
};
/// Threads that have passed the same barriers have the same one. Threads of the machine share none.
using SharedClock = boost::intrusive_ptr<const Clock>;

/// Returns the join of `a` and `b`: one of them if it covers the other.
SharedClock joined(const SharedClock& a, const SharedClock& b);
/// Returns `clock` after a proxy fence.
SharedClock after_fence(const SharedClock& clock);

/// The work of a unit that a thread issues in groups and waits for by the number of groups that may be left.
struct WorkGroups {
  Actor actor = kNoActor;  // of the unit; kNoActor before its first work
  Time committed = 0;  // groups
  Time known = 0;  // those that the thread has waited for
  Time issued = 0;  // the time of the last work
  const kmux_cpu_site* site = nullptr;  // of that

  /// Returns the time of work that is issued now, at `from`.
  Time issue(const kmux_cpu_site* from) {
    site = from;
    return issued = committed + 1;
  }
  void commit() { ++committed; }
  void wait(Time left) {
    if (actor != kNoActor && committed > left && committed - left > known) known = committed - left;
  }
  bool is_done() const { return known >= issued; }
};

class BarrierClock;

/// The accesses that happened before the next one of a thread, and the time of that.
class ThreadClock {
 public:
  /// `first`: the actor of lane 0 of the warp.
  ThreadClock(Actor first, unsigned lane);

  Actor actor() const { return first_ + lane_; }
  Time now() const { return known_[lane_]; }
  /// Returns true if the accesses of `actor` up to `time` happened before.
  bool is_after(Actor actor, Time time) const {
    const Actor lane = actor - first_;
    if (has_lane(lane)) return known_[lane] >= time;
    return base_->known.of(actor) >= time || is_after_work(actor, time);
  }
  /// Returns true if a proxy fence came after the accesses of thread `actor` up to `time`.
  bool has_fenced(Actor actor, Time time) const {
    const Actor lane = actor - first_;
    return (has_lane(lane) ? fenced_[lane] : base_->fenced.of(actor)) >= time;
  }
  /// Begins a step: later accesses are not known to those that know the earlier ones.
  void advance() { ++known_[lane_]; }
  /// Executes a proxy fence: units may rely on all accesses that happened before.
  void fence();
  /// Joins the accesses that `barrier` orders before its waiters.
  void acquire(BarrierClock& barrier);
  /// Joins the clock of `other`, a thread of the same warp.
  void merge(const ThreadClock& other);
  /// Joins the times that are not in base() into `clock`.
  void add_to(Clock& clock) const;
  const SharedClock& base() const { return base_; }

  WorkGroups bulk = {};  // copies and reductions from shared memory
  WorkGroups copies = {};  // cp.async
  WorkGroups products = {};  // wgmma of its warp

 private:
  friend void meet(std::span<ThreadClock* const> lanes);

  bool has_lane(Actor lane) const { return lane < kClockLanes && (!is_plain_ || lane == lane_); }
  bool is_after_work(Actor actor, Time time) const;
  SharedClock base_with_work() const;
  void unfold();
  void fold();

  SharedClock base_;
  Actor first_;
  unsigned lane_;
  bool has_fences_ = false;
  bool is_plain_ = true;  // the times of other lanes are in the base alone
  std::array<Time, kClockLanes> known_ = {};  // of the lanes of the warp
  std::array<Time, kClockLanes> fenced_ = {};
};

/// Orders the accesses of each thread of a warp before later ones of all (__syncwarp).
void meet(std::span<ThreadClock* const> lanes);

/// The accesses that a barrier orders before later ones of its waiters.
class BarrierClock {
 public:
  /// Adds the clock of `thread`, and begins its next step.
  void arrive(ThreadClock& thread);
  /// Adds the accesses of `actor` up to `time`.
  void raise(Actor actor, Time time) { pending_.known.raise(actor, time); }
  /// Ends a phase, whose waiters acquire what has been added so far.
  void complete();
  /// Returns true if the accesses of `actor` up to `time` have been added.
  bool has(Actor actor, Time time) const { return pending_.known.of(actor) >= time; }
  /// Returns the join of `base` and the accesses of all phases that have ended.
  const SharedClock& joined_with(const SharedClock& base);

 private:
  Clock pending_;
  SharedClock last_base_;  // the last one that was added
  SharedClock done_;
  SharedClock base_, joined_;  // the last result
};

}  // namespace kmux::simt
