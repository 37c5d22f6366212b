#pragma once

#include <optional>
#include <string>

#include "kmux/dispatch.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// The program that `cache_program` of this process or another put into the cache of `runtime` for this origin; nothing if there
/// is none, or no cache.
///
/// `origin` names everything that the program was made from, the version of what made it included: a digest is enough.
/// Threads: any.
KMUX_API std::optional<Program> cached_program(const Runtime& runtime, const std::string& origin);

/// Caches `program`, which took long to make, under `origin`; in the background, and not at all where there is no cache or
/// memory for it. An entry that is there already stays.
///
/// Threads: any.
KMUX_API void cache_program(const Runtime& runtime, const std::string& origin, const Program& program);

}  // namespace kmux
