#pragma once

#include "kmux/json.h"
#include "kmux/plugin/plugin.hpp"

#include "options.h"

namespace kmux::cutedsl {

/// What tells the programs that compile from others. Where Python or the C++ compiler is not there, it is what was told the
/// last time, kept in the cache's folder: what they have made can be found, and run, without them.
///
/// Errors: those of `find_python` and `find_host_compiler`, where nothing was kept.
Result<Json> identify_toolchain(const Host& host, const BuildOptions& options);

/// Whether something is kept, so that there may be artifacts that nothing here could make.
bool has_kept_toolchain(const Host& host);

}  // namespace kmux::cutedsl
