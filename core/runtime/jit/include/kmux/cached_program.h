#pragma once

#include <optional>
#include <string>

#include "kmux/dispatch.h"
#include "kmux/export.h"
#include "kmux/runtime.h"

namespace kmux {

/// Returns the program that `cache_program`, in this process or another, stored in the cache of `runtime` under
/// `origin`. Returns nothing without a cache or a valid entry.
///
/// `origin` must identify every input of the program, including the version of its generator: a digest is enough.
/// Threads: any.
KMUX_API std::optional<Program> cached_program(const Runtime& runtime, const std::string& origin);

/// Caches `program`, which took long to make, under `origin` in the background. Does nothing without a cache or if
/// memory runs out. Keeps an existing entry.
///
/// Threads: any.
KMUX_API void cache_program(const Runtime& runtime, const std::string& origin, const Program& program);

}  // namespace kmux
