#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kmux/artifact.h"
#include "kmux/compile_options.h"
#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/file_identity.h"

#include "cache/disk/cache_entry.h"
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

/// The same without the remote tier, which takes its time.
std::optional<TierBuild> find_tier_here(const Choice& choice, const std::string& tier, ArtifactCache* cache);

/// The option by which a backend is told its tier; "tiered" means the quickest first and the best afterwards.
inline constexpr const char* kTierOption = "tier";
inline constexpr const char* kTiered = "tiered";

/// Through which tiers of its backend a kernel goes.
struct TierPlan {
  std::string first;  // empty if the backend has no tiers
  std::string best;
  bool improves() const { return first != best; }
  bool operator==(const TierPlan&) const = default;
};

/// Reads option "tier", which the environment can set for a plugin ("cpu.tier"). The default is "tiered" for a kernel
/// that is run, and the best tier for one that is only built, as no kernel would swap it.
///
/// Errors: invalid_argument that names the tiers for another value. A backend without tiers judges the option itself.
Result<TierPlan> plan_tiers(const Manifest& manifest, const Options& options, const Environment& environment,
                            Purpose purpose);

/// The first level of the cache's key: everything that a build is made from, but for the headers outside the program.
///
/// It depends on content alone: not on the process, the user, or metadata of the program. `settings` are those of the choice:
/// options that the environment sets count as those of the request do, whatever the backend says of them in `toolchain`.
/// Errors: those of the backend's `toolchain`; such a build is not cached.
Result<CacheKey> cache_key(const Manifest& plugin, Backend& backend, const BuildRequest& request,
                           const Options& settings);

/// Options as they stand in keys.
Json options_json(const Options& options);

}  // namespace kmux
