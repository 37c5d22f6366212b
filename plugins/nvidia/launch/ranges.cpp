#include "nvidia/launch/ranges.h"

#include "nvidia/launch/lock.h"

namespace kmux::nvidia {
namespace {

Lock opening_ranges;
bool ranges_were_missed = false;
ProfilerRanges range_functions;

}  // namespace

const ProfilerRanges* open_ranges(const Log& log) {
  const Locked locked(opening_ranges);
  if (!range_functions.are_open()) range_functions = open_profiler_ranges();
  if (range_functions.are_open()) return &range_functions;
  if (!ranges_were_missed) report(log, kLogWarning, "%s", kNoProfilerRanges);
  ranges_were_missed = true;
  return nullptr;
}

}  // namespace kmux::nvidia
