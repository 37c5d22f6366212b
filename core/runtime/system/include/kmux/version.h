#pragma once

#include "kmux/export.h"

/// The version of this header. `kmux::version()` returns that of the library.
#define KMUX_VERSION_MAJOR 0
#define KMUX_VERSION_MINOR 1
#define KMUX_VERSION_PATCH 0
#define KMUX_VERSION "0.1.0"

namespace kmux {

/// Returns the version of libkmux in this process, formatted as KMUX_VERSION.
KMUX_API const char* version();

}  // namespace kmux
