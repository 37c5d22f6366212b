#include "kmux/cache.h"

#include <algorithm>

#include "kmux/guarded.h"

#include "artifact_cache.h"
#include "runtime_cache.h"

namespace kmux {
namespace {

std::chrono::system_clock::time_point time_point(FileTime nanoseconds) {
  const std::chrono::nanoseconds since_1970(nanoseconds);
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since_1970));
}

CachedBuild cached_build(StoredEntry entry) {
  return {.key = std::move(entry.location.key),
          .state = std::move(entry.location.second),
          .parts = std::move(entry.parts),
          .folder = std::move(entry.location.folder),
          .bytes = entry.bytes,
          .created = time_point(entry.created_ns),
          .used = time_point(entry.used_ns),
          .unsupported = entry.negative};
}

}  // namespace

std::optional<RemoteCacheReport> inquire_remote_cache(const Environment& environment) {
  RemoteCacheReport report{.url = {}, .read_only = environment.remote_cache_read_only, .problem = {}};
  Result<std::optional<RemoteSettings>> settings = read_remote_settings(environment);
  if (!settings) {
    report.problem = std::move(settings).error();
    return report;
  }
  if (!*settings) return std::nullopt;
  report.url = to_string((*settings)->redis.address);
  report.authenticated = !(*settings)->secret.empty();
  Result<std::int64_t> names = RedisTier((*settings)->redis).count_names();
  if (names) report.names = *names;
  if (!names) report.problem = std::move(names).error();
  return report;
}

Result<Cache> Cache::open(const Environment& environment) {
  return guarded([&]() -> Result<Cache> {
    KMUX_ASSIGN(std::shared_ptr<ArtifactCache> cache, open_cache(environment));
    if (cache) return Cache(std::move(cache));
    return make_error(
        ErrorCode::kUnavailable,
        environment.disable_cache
            ? "the cache is disabled (KMUX_DISABLE_CACHE). Unset that variable."
            : "the cache has no folder (neither KMUX_CACHE_DIR, XDG_CACHE_HOME nor HOME is set). Set one.");
  });
}

const std::filesystem::path& Cache::folder() const { return cache_->folder(); }
std::optional<std::string> Cache::why_read_only() const { return cache_->why_read_only(); }
std::uint64_t Cache::max_bytes() const { return cache_->max_bytes(); }

std::vector<CachedBuild> Cache::list() const {
  std::vector<CachedBuild> builds;
  for (StoredEntry& entry : cache_->list()) {
    const bool is_note = entry.parts.find("kind") != nullptr;  // recorded by the policies
    if (!is_note) builds.push_back(cached_build(std::move(entry)));
  }
  std::ranges::sort(builds, [](const CachedBuild& a, const CachedBuild& b) { return a.used > b.used; });
  return builds;
}

std::vector<DamagedBuild> Cache::verify() const {
  std::vector<DamagedBuild> damaged;
  for (DamagedEntry& entry : cache_->verify()) damaged.push_back({std::move(entry.folder), std::move(entry.reason)});
  return damaged;
}

Result<PruneReport> Cache::prune(const PruneLimits& limits) const {
  return guarded([&]() -> Result<PruneReport> {
    const SweepLimits sweep{.max_bytes = limits.max_bytes, .max_age = limits.max_age, .min_idle = {}};
    KMUX_ASSIGN(const SweepReport report, cache_->prune(sweep));
    return PruneReport{report.entries_removed, report.bytes_removed, report.entries_left, report.bytes_left};
  });
}

Result<PackedBuild> Cache::pack(const CachedBuild& build) {
  return guarded([&]() -> Result<PackedBuild> {
    KMUX_ASSIGN(PackedEntry packed, pack_entry({build.folder, build.key, build.state}));
    return PackedBuild{std::move(packed.key), std::move(packed.second), std::move(packed.files)};
  });
}

bool Cache::is_file_name(std::string_view name) { return is_entry_file(name); }

Result<Cache::Added> Cache::add(const PackedBuild& build) const {
  return guarded([&]() -> Result<Cache::Added> {
    KMUX_ASSIGN(const Staging::Outcome outcome, cache_->add({build.key, build.state, build.files}));
    return outcome == Staging::Outcome::kPublished ? Added::kNew : Added::kThere;
  });
}

}  // namespace kmux
