#pragma once

#include <string>

#include "nvidia/raw_cuda.h"

namespace kmux::bench {

/// Returns why bars of a GPU cannot be measured here; empty if they can.
inline std::string missing_device() { return RawCuda::has_device() ? "" : "no device"; }

/// Returns why bars over the fake driver cannot be measured here; empty if they can.
inline std::string missing_fake() { return RawCuda::has_device() ? "a real driver is here" : ""; }

}  // namespace kmux::bench
