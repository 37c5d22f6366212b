#pragma once

#include "kmux/plugin/plugin.h"

#include "nvidia/launch/driver_abi.h"

namespace kmux::nvidia {

/// The functions of libcuda, by their names in driver_abi.h, opened at run time. Only optional functions may be null.
///
/// Threads: thread-safe, since the table does not change after opening.
struct DriverTable {
#define KMUX_CALL(name, symbol, params) CUresult(*name) params;
  KMUX_DRIVER_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
};

/// Returns the one table of this library. The first successful call opens it and calls `cuInit`; it is never closed.
///
/// Errors: returns null after writing to `error` (unavailable): no library, a missing symbol (a driver older than
///         12.0), or the error of cuInit.   Threads: thread-safe.
const DriverTable* open_driver(kmux_sink error);

}  // namespace kmux::nvidia
