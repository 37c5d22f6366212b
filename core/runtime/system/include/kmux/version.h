#pragma once

#include "kmux/export.h"

/// The version of kmux that this header is of. `kmux::version()` is that of the library.
#define KMUX_VERSION_MAJOR 0
#define KMUX_VERSION_MINOR 1
#define KMUX_VERSION_PATCH 0
#define KMUX_VERSION "0.1.0"

namespace kmux {

/// The version of libkmux that this process runs, as KMUX_VERSION.
KMUX_API const char* version();

}  // namespace kmux
