#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/plugin/file_identity.h"

#include "choice.h"

namespace kmux {

class ArtifactCache;

/// What a backend made of a request, now or earlier.
struct TierBuild {
  std::string launcher;
  Artifact artifact;
  std::optional<double> compile_ms = {};  // none if it is from the cache
  FileTime began = 0;                     // see CacheEntry
  bool from_cache() const { return !compile_ms; }
};

/// Wraps and builds in `tier`, or takes what `cache` (which may be null) has of it.
///
/// Errors: those of the backend. An `unsupported` is remembered by the cache.
Result<TierBuild> build_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache);

/// What `cache` (which may be null) has of `tier`, or nothing.
std::optional<TierBuild> find_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache);

}  // namespace kmux
