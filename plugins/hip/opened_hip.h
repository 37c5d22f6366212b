#pragma once

#include <string>

#include "kmux/plugin/plugin.hpp"

#include "launch/hip_table.h"

namespace kmux::hip {

/// The library that option "hip.library" names; empty: `kHipLibraries`.
std::string named_library(const Host& host);

/// HIP's functions.
///
/// Errors: unavailable with what was tried and what to install.
Result<const HipTable*> opened_hip(const Host& host);

/// ok, or the error of a call: "CALL failed with NUMBER NAME (text; detail). What to do."
Status check(const HipTable& hip, const char* call, int result, const std::string& detail = "");

/// Can kernels run here? A library that is there and a device.
Availability probe_runtime(const Host& host);

}  // namespace kmux::hip
