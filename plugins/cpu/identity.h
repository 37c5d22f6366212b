#pragma once

#include <string>

#include "kmux/error.h"
#include "kmux/target.h"

#include "options.h"

namespace kmux::cpu {

/// What decides the code besides program and options: versions, and path, size and time of the compiler's files; for
/// this machine's own processor also its features.
///
/// Errors: unavailable if the compiler of engine `host` is not there. Starts no process.
Result<std::string> toolchain_identity(const Target& target, const BuildOptions& options);

}  // namespace kmux::cpu
