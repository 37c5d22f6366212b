#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kmux/artifact.h"
#include "kmux/compile_options.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/file_identity.h"

#include "cache/disk/cache_entry.h"
#include "choice.h"

namespace kmux {

class ArtifactCache;

/// The result of a request from a backend or from the cache.
struct TierBuild {
  std::string launcher;
  Artifact artifact;
  std::optional<double> compile_ms = {};  // empty if from the cache
  FileTime began = 0;                     // see CacheEntry
  bool from_cache() const { return !compile_ms; }
};

/// Wraps and builds in `tier`, or returns the build of `tier` in `cache` (which may be null).
///
/// Errors: those of the backend. The cache also stores `unsupported`.
Result<TierBuild> build_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache);

/// Returns the build of `tier` in `cache` (which may be null), or nothing.
std::optional<TierBuild> find_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache);

/// Returns the same without querying the remote tier, which is slow.
std::optional<TierBuild> find_tier_here(const Choice& choice, const std::string& tier, ArtifactCache* cache);

/// Returns the first level of the cache key: all inputs of a build except headers outside the program.
///
/// It depends on content only: not on the process, the user, or metadata of the program. `settings` are those of the
/// choice: options that the environment sets count like those of the request, regardless of the result of the backend's
/// `toolchain`.
/// Errors: those of the backend's `toolchain`; such a build is not cached.
Result<CacheKey> cache_key(const Manifest& plugin, Backend& backend, const BuildRequest& request,
                           const Options& settings);

/// Returns options as they appear in keys.
Json options_json(const Options& options);

}  // namespace kmux
