#pragma once

#include "nvidia/launch/driver_abi.h"

// Declares every symbol of the table as the library exports it, so that a definition with other parameters does not
// compile.
namespace kmux::fake_cuda {

using namespace nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface

#define KMUX_CALL(name, symbol, params) extern "C" __attribute__((visibility("default"))) CUresult symbol params;
KMUX_DRIVER_CALLS(KMUX_CALL)
KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL

}  // namespace kmux::fake_cuda
