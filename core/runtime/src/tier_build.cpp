#include "tier_build.h"

#include "kmux/log.h"

#include "cache/artifact_cache.h"
#include "cache_key.h"

namespace kmux {
namespace {

Result<CacheEntry> wrap_and_build(Backend& backend, const BuildRequest& request) {
  KMUX_ASSIGN(std::string launcher, backend.wrapper().wrap(request));
  KMUX_ASSIGN(Artifact artifact, backend.builder().build(request, launcher));
  return CacheEntry{std::move(artifact), std::move(launcher)};
}

/// Nothing if the build cannot be identified; it is then not cached.
std::optional<CacheKey> key_of(const Choice& choice, const BuildRequest& request) {
  Result<CacheKey> key = cache_key(choice.plugin->manifest(), *choice.backend, request);
  if (key) return *std::move(key);
  log(LogLevel::kDebug, "not cached (the toolchain cannot be identified): " + key.error().message);
  return std::nullopt;
}

TierBuild tier_build(CacheEntry entry, bool from_cache) {
  return {std::move(entry.launcher), std::move(entry.artifact), from_cache};
}

}  // namespace

Result<TierBuild> build_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache) {
  const BuildRequest request = request_in_tier(choice, tier);
  bool made = false;
  const auto make = [&] {
    made = true;
    return wrap_and_build(*choice.backend, request);
  };
  const std::optional<CacheKey> key = cache == nullptr ? std::nullopt : key_of(choice, request);
  KMUX_ASSIGN(CacheEntry entry, key ? cache->find_or_make(*key, make) : make());
  return tier_build(std::move(entry), !made);
}

std::optional<TierBuild> find_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache) {
  if (cache == nullptr) return std::nullopt;
  const std::optional<CacheKey> key = key_of(choice, request_in_tier(choice, tier));
  std::optional<CacheEntry> entry = key ? cache->find(*key) : std::nullopt;
  if (!entry || entry->unsupported) return std::nullopt;
  return tier_build(*std::move(entry), true);
}

}  // namespace kmux
