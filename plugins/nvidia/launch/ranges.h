#pragma once

#include "kmux/plugin/profiler_ranges.h"

#include "nvidia/launch/log.h"

namespace kmux::nvidia {

/// The one table of this library; null where NVTX is not installed, which the first such call logs. Never closed.
///
/// Threads: any.
const ProfilerRanges* open_ranges(const Log& log);

}  // namespace kmux::nvidia
