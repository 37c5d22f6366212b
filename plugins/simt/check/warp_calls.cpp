#include <algorithm>
#include <bit>
#include <functional>

#include "simt/check/fiber_block.h"

namespace kmux::simt {
namespace {

using Lanes = std::uint32_t;  // one bit each

template <class Predicate>
Lanes lanes_where(std::span<const Thread> warp, Predicate holds) {
  Lanes lanes = 0;
  for (unsigned i = 0; i < warp.size(); ++i) lanes |= holds(warp[i]) ? Lanes{1} << i : 0;
  return lanes;
}

Lanes in_call_like(std::span<const Thread> warp, const WarpCall& call) {
  return lanes_where(warp, [&](const Thread& thread) {
    return thread.state == Thread::State::kInWarpCall && thread.call.kind == call.kind &&
           thread.call.work == call.work && thread.call.mask == call.mask &&
           (call.mask != 0 || thread.call.place == call.place);
  });
}

bool has(Lanes lanes, unsigned lane) { return (lanes >> lane & 1) != 0; }

// Lets each lane of `group` know all earlier accesses of the others.
void join_clocks(std::span<Thread> warp, Lanes group) {
  std::vector<ThreadClock*> clocks;
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (has(group, i)) clocks.push_back(warp[i].clock.get());
  }
  meet(clocks);
}

unsigned result_for(std::span<const Thread> warp, Lanes group, unsigned lane) {
  const WarpCall& call = warp[lane].call;
  if (call.kind == WarpCall::Kind::kBallot) {
    return group & lanes_where(warp, [](const Thread& thread) { return thread.call.value != 0; });
  }
  const unsigned from = static_cast<unsigned>(call.lane) % kWarpLanes;
  return from < warp.size() && has(group, from) ? static_cast<unsigned>(warp[from].call.value) : 0;
}

// Records the lanes of `group` that a shuffle gives a value of a lane that does not participate, or an undefined one.
void note_undefined(std::span<Thread> warp, Lanes group) {
  std::array<UndefinedValue, kWarpLanes> before = {};
  for (unsigned i = 0; i < warp.size(); ++i) before[i] = warp[i].undefined;
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (!has(group, i)) continue;
    UndefinedValue& own = warp[i].undefined;
    const unsigned from = static_cast<unsigned>(warp[i].call.lane) % kWarpLanes;
    const bool is_here = from < warp.size() && has(group, from);
    own.is_taken = !is_here || before[from].is_offered;
    if (!own.is_taken || own.is_offered) continue;  // it keeps the origin of its earlier undefined value
    own.lane = is_here ? before[from].lane : from;
    own.site = is_here ? before[from].site : warp[i].site;
  }
}

void work_together(std::span<Thread> warp, Lanes group, WarpCall::Work work) {
  std::vector<Thread*> lanes;
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (has(group, i)) lanes.push_back(&warp[i]);
  }
  work(lanes);
}

void release(std::span<Thread> warp, Lanes group) {
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (has(group, i)) warp[i].call.result = result_for(warp, group, i);
  }
  const WarpCall& first = warp[static_cast<unsigned>(std::countr_zero(group))].call;
  const auto kind = first.kind;
  if (kind == WarpCall::Kind::kTogether) work_together(warp, group, first.work);
  if (kind == WarpCall::Kind::kShuffle) note_undefined(warp, group);
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (has(group, i)) warp[i].state = Thread::State::kReady;
  }
  if (kind == WarpCall::Kind::kSync && warp.front().clock) join_clocks(warp, group);
}

bool release_complete(std::span<Thread> warp, Lanes calling) {
  const Lanes live = lanes_where(warp, [](const Thread& thread) { return thread.state != Thread::State::kEnded; });
  bool any = false;
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (!has(calling, i) || warp[i].state != Thread::State::kInWarpCall || warp[i].call.mask == 0) continue;
    const Lanes group = in_call_like(warp, warp[i].call);
    if ((warp[i].call.mask & live & ~group) != 0) continue;
    release(warp, group);
    any = true;
  }
  return any;
}

// Returns the lane without a mask that is first in the code, or null.
const Thread* first_unmasked(std::span<const Thread> warp, Lanes calling) {
  const Thread* first = nullptr;
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (!has(calling, i) || warp[i].call.mask != 0) continue;
    if (first == nullptr || std::less<>()(warp[i].call.place, first->call.place)) first = &warp[i];
  }
  return first;
}

std::string elsewhere(std::span<const Thread> warp, Lanes missing) {
  const unsigned lane = static_cast<unsigned>(std::countr_zero(missing));
  const Thread& thread = warp[lane];
  const bool at_barrier = thread.state == Thread::State::kAtBarrier;
  return "lane " + std::to_string(lane) + " waits at " +
         (at_barrier ? "the barrier of " : "another function of its warp, at ") + Findings::place(thread.site);
}

}  // namespace

bool release_lanes(std::span<Thread> warp, Findings* findings) {
  const Lanes calling =
      lanes_where(warp, [](const Thread& thread) { return thread.state == Thread::State::kInWarpCall; });
  if (calling == 0) return false;
  if (release_complete(warp, calling)) return true;
  if (const Thread* const first = first_unmasked(warp, calling)) {
    release(warp, in_call_like(warp, first->call));
    return true;
  }
  if (lanes_where(warp, [](const Thread& thread) { return thread.state == Thread::State::kWaiting; }) != 0)
    return false;
  const Thread& first = warp[static_cast<unsigned>(std::countr_zero(calling))];
  const Lanes group = in_call_like(warp, first.call);
  if (findings != nullptr) {
    const Lanes live = lanes_where(warp, [](const Thread& thread) { return thread.state != Thread::State::kEnded; });
    findings->add({Finding::Kind::kMask, first.site, first.index,
                   "calls a function of its warp whose mask names lanes that do not take part",
                   elsewhere(warp, first.call.mask & live & ~group),
                   "Name the lanes that come there, or call it where all lanes come"});
  }
  release(warp, group);
  return true;
}

}  // namespace kmux::simt
