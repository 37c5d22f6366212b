#include "check/warp.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace kmux::cpu {
namespace {

using Lanes = std::uint32_t;  // a bit each

template <class Predicate>
Lanes lanes_where(std::span<const Thread> warp, Predicate holds) {
  Lanes lanes = 0;
  for (unsigned i = 0; i < warp.size(); ++i) lanes |= holds(warp[i]) ? Lanes{1} << i : 0;
  return lanes;
}

Lanes in_call_like(std::span<const Thread> warp, const WarpCall& call) {
  return lanes_where(warp, [&](const Thread& thread) {
    return thread.state == Thread::State::kInWarpCall && thread.call.kind == call.kind &&
           thread.call.mask == call.mask && (call.mask != 0 || thread.call.place == call.place);
  });
}

bool has(Lanes lanes, unsigned lane) { return (lanes >> lane & 1) != 0; }

// Each sees what all others did before.
void join_clocks(std::span<Thread> warp, Lanes group) {
  std::array<std::uint32_t, kWarpLanes> all = {};
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (!has(group, i)) continue;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) all[lane] = std::max(all[lane], warp[i].seen[lane]);
  }
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (!has(group, i)) continue;
    warp[i].seen = all;
    ++warp[i].seen[i];
  }
}

unsigned result_for(std::span<const Thread> warp, Lanes group, unsigned lane) {
  const WarpCall& call = warp[lane].call;
  if (call.kind == WarpCall::Kind::kBallot) {
    return group & lanes_where(warp, [](const Thread& thread) { return thread.call.value != 0; });
  }
  const unsigned from = static_cast<unsigned>(call.lane) % kWarpLanes;
  return static_cast<unsigned>(from < warp.size() && has(group, from) ? warp[from].call.value : call.value);
}

void release(std::span<Thread> warp, Lanes group) {
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (has(group, i)) warp[i].call.result = result_for(warp, group, i);
  }
  for (unsigned i = 0; i < warp.size(); ++i) {
    if (has(group, i)) warp[i].state = Thread::State::kReady;
  }
  if (warp[static_cast<unsigned>(std::countr_zero(group))].call.kind == WarpCall::Kind::kSync) join_clocks(warp, group);
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

// The lane without a mask that is first in the code, or null.
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

}  // namespace kmux::cpu
