#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/json.h"

namespace kmux {

class ArtifactCache;

/// A build that the cache has on disk.
struct CachedBuild {
  std::string key;    // SHA-256 over `parts`
  std::string state;  // SHA-256 over the headers that it depends on
  Json parts;         // program, variant, target, options, plugin, toolchain
  std::filesystem::path folder;  // of its files
  std::uint64_t bytes = 0;  // on the disk
  std::chrono::system_clock::time_point created;  // stored
  std::chrono::system_clock::time_point used;  // last
  bool unsupported = false;  // it records that the backend cannot do it
};

/// A build that was found damaged, and why.
struct DamagedBuild {
  std::filesystem::path folder;  // of its files
  std::string reason;  // what is wrong
};

/// The files of a build, to be carried to another cache.
struct PackedBuild {
  std::string key;  // as in CachedBuild
  std::string state;  // as in CachedBuild
  std::map<std::string, std::string> files;  // content by name
};

/// What may stay when a cache is pruned.
struct PruneLimits {
  std::uint64_t max_bytes = 0;     // on the disk
  std::chrono::seconds max_age{};  // since it was used last
};

/// How many entries pruning removed and left, and their bytes on the disk.
struct PruneReport {
  std::uint64_t removed = 0;  // builds
  std::uint64_t removed_bytes = 0;  // on the disk
  std::uint64_t left = 0;  // builds
  std::uint64_t left_bytes = 0;  // on the disk
};

/// What the server of a remote cache reports.
struct RemoteCacheReport {
  std::string url;  // without user and password
  bool read_only = false;  // nothing is stored there
  bool authenticated = false;           // there is a key, and only what is authenticated with it is taken
  std::optional<Error> problem;  // why it is of no use now
  std::int64_t names = 0;        // in its database, those of others included
};

/// Asks the server of the remote cache that `environment` describes; nothing if it describes none. A server that does
/// not answer, and settings that make no sense, are a `problem`.
KMUX_API std::optional<RemoteCacheReport> inquire_remote_cache(const Environment& environment);

/// The cache on disk, for those who look after it. `compile` and `build` need nothing of this.
///
/// Threads: any; other processes may use the same cache all the while.   Lifetime: a cheap shared handle.
class KMUX_API Cache {
 public:
  /// Opens the cache that `environment` describes.
  ///
  /// Errors: unavailable if it is disabled or has no folder; invalid_argument if its folder cannot be trusted, or for a
  ///         size limit that is not a size.
  static Result<Cache> open(const Environment& environment);

  /// Where the cache is.
  const std::filesystem::path& folder() const;
  /// Why nothing can be stored, or nothing if it can.
  std::optional<std::string> why_read_only() const;
  /// Units: bytes. What a process that stores something reduces the cache to.
  std::uint64_t max_bytes() const;

  /// Every build, the one that was used last first.
  std::vector<CachedBuild> list() const;
  /// Reads and checks every build; the damaged ones are moved to the folder `quarantine` and returned.
  std::vector<DamagedBuild> verify() const;
  /// Removes what is older than the limit, then the least used until the others are small enough.
  ///
  /// Errors: unavailable if the folder cannot be written to or another process is pruning it.
  Result<PruneReport> prune(const PruneLimits& limits) const;

  /// The files of a build that is whole.
  ///
  /// Errors: unavailable if it was removed meanwhile; invalid_argument if it is damaged.
  static Result<PackedBuild> pack(const CachedBuild& build);
  /// Returns true for the name of a file that builds have.
  static bool is_file_name(std::string_view name);
  /// Whether a build that was to be added is new or was there already.
  enum class Added { kNew, kThere };
  /// Adds a build of another cache, after checking every digest; one that is there already stays.
  ///
  /// Errors: invalid_argument if it is damaged; unavailable if it cannot be stored.
  Result<Added> add(const PackedBuild& build) const;

 private:
  explicit Cache(std::shared_ptr<ArtifactCache> cache) : cache_(std::move(cache)) {}
  std::shared_ptr<ArtifactCache> cache_;
};

}  // namespace kmux
