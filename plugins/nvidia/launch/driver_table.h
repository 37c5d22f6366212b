#pragma once

#include "kmux/plugin/plugin.h"

#include "nvidia/launch/driver_abi.h"

namespace kmux::nvidia {

/// The functions of libcuda, by the names that driver_abi.h gives them, opened at run time. Only an optional one may be
/// null.
///
/// Threads: any; it does not change any more.
struct DriverTable {
#define KMUX_CALL(name, symbol, params) CUresult(*name) params;
  KMUX_DRIVER_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
};

/// The one table of this library, opened by the first call that succeeds, and `cuInit` called. Never closed.
///
/// Errors: null after writing to `error` (unavailable): no library, a symbol that it lacks (a driver older than 12.0), or
/// what cuInit said.   Threads: any.
const DriverTable* open_driver(kmux_sink error);

}  // namespace kmux::nvidia
