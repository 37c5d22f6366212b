#pragma once

#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"

#include "cache/disk/cache_entry.h"

namespace kmux {

/// The first level of the cache's key: everything that a build is made from, but for the headers outside the program.
///
/// It depends on content alone: not on the process, the working directory, the user, or metadata of the program.
/// Errors: those of the backend's `toolchain`; such a build is not cached.
Result<CacheKey> cache_key(const Manifest& plugin, Backend& backend, const BuildRequest& request);

/// Options as they stand in keys.
Json options_json(const Options& options);

}  // namespace kmux
