#pragma once

#include <span>

#include "check/findings.h"
#include "check/thread.h"

namespace kmux::cpu {

/// Lets lanes of `warp` go on that are in a call of it, when none of them can run: those of a mask once all that it names are
/// there (or have ended); where none are complete, those that are at the first place in the code without naming a mask, so
/// that lanes which parted meet again behind the branch; else those of an incomplete mask, which is a finding.
/// Returns false if no lane is in such a call.
bool release_lanes(std::span<Thread> warp, Findings* findings);

}  // namespace kmux::cpu
