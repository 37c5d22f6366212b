#pragma once

#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"
#include "nvidia/launch/driver_table.h"

// Declares every symbol of the table as the library exports it, so that a definition with other parameters does not
// compile.
#define KMUX_CALL(name, symbol, params) extern "C" __attribute__((visibility("default"))) int symbol params;
KMUX_HIP_CALLS(KMUX_CALL)
KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL

namespace kmux::hip_on_cuda {

/// Returns the CUDA driver; null if it is missing.
const nvidia::DriverTable* driver();

/// Returns the device that is current on this thread, by HIP's numbering.
int& current_device();

/// Makes the primary context of the current device current for CUDA. CUDA and HIP share the returned error codes.
int enter();

}  // namespace kmux::hip_on_cuda

/// Returns the result of `call` from the function, unless that is success.
#define KMUX_CHECK(call) \
  if (const int kmux_result = (call)) return kmux_result
