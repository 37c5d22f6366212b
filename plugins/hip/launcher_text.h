#pragma once

#include <string>

#include "kmux/plugin/plan.h"

#include "launch/plan_facts.h"

namespace kmux::hip {

/// The file that a launcher takes its code from when it is assembled, relative to where that is done.
inline constexpr const char* kCodeFile = "kmux-code.hsaco";

/// The launcher of `plan` as a unit of its own: C++17 that needs the standard library and nothing of ROCm or of kmux.
///
/// First comes the program's own part: its body over `kmux_driver`, and `call` with the program's parameters and a
/// hipStream_t. Then the launch layer and the entry points, the same in every unit; at the end facts and code of the
/// program. It has `init`, `call` and `get_last_error` for anybody, and `kmux_standalone_...` for `kmux export`. HIP's
/// runtime is opened when it first runs: what KMUX_HIP_LIBRARY names, else what the loader finds.
std::string launcher_text(const Plan& plan, const PlanFacts& facts);

}  // namespace kmux::hip
