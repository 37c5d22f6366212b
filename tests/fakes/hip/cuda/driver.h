#pragma once

#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"
#include "nvidia/launch/driver_table.h"

// Every symbol of the table, declared as the library exports it: a definition with other parameters does not compile.
#define KMUX_CALL(name, symbol, params) extern "C" __attribute__((visibility("default"))) int symbol params;
KMUX_HIP_CALLS(KMUX_CALL)
KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL

namespace kmux::hip_on_cuda {

/// The CUDA driver; null where there is none.
const nvidia::DriverTable* driver();

/// The device that is current on this thread, as HIP counts them.
int& current_device();

/// Makes the primary context of the current device current for CUDA. The number of an error is the same in CUDA and HIP.
int enter();

}  // namespace kmux::hip_on_cuda

/// Leaves the function with what `call` says, unless that is success.
#define KMUX_CHECK(call) \
  if (const int kmux_result = (call)) return kmux_result
