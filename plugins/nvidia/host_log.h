#pragma once

#include "kmux/plugin/plugin.hpp"

#include "nvidia/launch/log.h"

namespace kmux::nvidia {

/// The log of `host` for the launch layer.
///
/// Lifetime: borrows `host`.
Log log_to(const Host& host);

/// Are calls and launches shown to profilers (host option "nvidia.nvtx")?
bool shows_ranges(const Host& host);

}  // namespace kmux::nvidia
