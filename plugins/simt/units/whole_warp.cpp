#include "simt/units/whole_warp.h"

#include <string>
#include <utility>

#include "simt/check/fiber_block.h"

namespace kmux::simt {

void call_whole_warp(WarpCall::Work work, void* operands, const void* place) {
  FiberLaunch& launch = FiberLaunch::current();
  Thread& thread = launch.thread();
  const unsigned mask = std::exchange(thread.mask, ~0U);
  launch.call_warp({.kind = WarpCall::Kind::kTogether, .place = place, .work = work, .data = operands});
  thread.mask = mask;
}

std::string place_of(const Thread& thread) {
  const std::string line = thread.site == nullptr ? "" : Findings::place(thread.site) + ", ";
  return line + "block " + to_string(FiberLaunch::current().block().index) + ", thread " + to_string(thread.index);
}

void check_whole_warp(std::span<Thread* const> lanes, std::string_view instruction) {
  if (lanes.size() == kWarpLanes) return;
  throw KernelFailure("only " + std::to_string(lanes.size()) + " of the 32 lanes of a warp execute \"" +
                      std::string(instruction) + "\" (" + place_of(*lanes.front()) +
                      "). Execute it in full warps that have not diverged.");
}

void throw_diverged(const Thread& lane, std::string_view instruction) {
  throw KernelFailure("lanes of a warp execute different forms of \"" + std::string(instruction) +
                      "\" at the same time (" + place_of(lane) + "). Execute it in warps that have not diverged.");
}

}  // namespace kmux::simt
