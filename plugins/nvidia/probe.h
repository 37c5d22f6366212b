#pragma once

#include "kmux/plugin/backend.h"

namespace kmux::nvidia {

/// Whether a device can be used here: "no_driver" with the loader's or the driver's own text, "no_device" if the driver
/// lists none. Creates no context.
///
/// Threads: any.
Availability probe_driver();

/// Why nothing can be built: "no_toolchain" with the text of `error`.
Availability no_toolchain(const Error& error);

}  // namespace kmux::nvidia
