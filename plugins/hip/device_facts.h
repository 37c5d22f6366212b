#pragma once

#include <string>

#include "kmux/error.h"
#include "kmux/json.h"

#include "launch/hip_table.h"

namespace kmux::hip {

/// What code for device `ordinal` is compiled for: "gfx90a".
///
/// Errors: invalid_argument if there is no such device; unsupported if it says no architecture; what HIP said.
Result<std::string> device_arch(const HipTable& hip, int ordinal);

/// The object of `DeviceApi::properties`: name, arch, memory_bytes, multiprocessors, l2_bytes,
/// shared_memory_bytes_per_block, wavefront_size and runtime_version. What the device does not say is left out.
///
/// Errors: as `device_arch`.
Result<Json> device_properties(const HipTable& hip, int ordinal);

}  // namespace kmux::hip
