#pragma once

#include <optional>
#include <string>

#include "kmux/dispatch.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// The program that `keep_program` kept in the cache of `runtime` for this origin, by this process or another; nothing if there
/// is none, or no cache.
///
/// `origin` says all that the program was made from, the version of what made it included: a digest is enough.
/// Threads: any.
KMUX_API std::optional<Program> kept_program(const Runtime& runtime, const std::string& origin);

/// Keeps `program`, which took long to make, for whoever asks for `origin`; in the background, and not at all where there is
/// no cache or memory for it. What is there already stays.
///
/// Threads: any.
KMUX_API void keep_program(const Runtime& runtime, const std::string& origin, const Program& program);

}  // namespace kmux
