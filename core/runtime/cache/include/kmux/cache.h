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

/// A build stored in the disk cache.
struct CachedBuild {
  std::string key;    // SHA-256 over `parts`
  std::string state;  // SHA-256 over the headers of the build
  Json parts;         // program, variant, target, options, plugin, toolchain
  std::filesystem::path folder;  // of its files
  std::uint64_t bytes = 0;  // on the disk
  std::chrono::system_clock::time_point created;  // stored
  std::chrono::system_clock::time_point used;  // last
  bool unsupported = false;  // the entry records that the backend does not support the program
};

/// A damaged build and the reason.
struct DamagedBuild {
  std::filesystem::path folder;  // of its files
  std::string reason;  // description of the damage
};

/// The files of a build, for transfer to another cache.
struct PackedBuild {
  std::string key;  // as in CachedBuild
  std::string state;  // as in CachedBuild
  std::map<std::string, std::string> files;  // content by name
};

/// The limits that pruning enforces.
struct PruneLimits {
  std::uint64_t max_bytes = 0;     // on the disk
  std::chrono::seconds max_age{};  // since the last use
};

/// The numbers of removed and remaining builds, and their bytes on disk.
struct PruneReport {
  std::uint64_t removed = 0;  // builds
  std::uint64_t removed_bytes = 0;  // on the disk
  std::uint64_t left = 0;  // builds
  std::uint64_t left_bytes = 0;  // on the disk
};

/// The state of a remote cache and its server.
struct RemoteCacheReport {
  std::string url;  // without user name and password
  bool read_only = false;  // kmux stores nothing in it
  bool authenticated = false;           // a key is set, and only entries authenticated with it are accepted
  std::optional<Error> problem;  // why the remote cache is unusable now
  std::int64_t names = 0;        // entries in its database, including other clients' entries
};

/// Queries the server of the remote cache that `environment` describes; returns nothing if it describes none. A server
/// that does not respond and invalid settings are reported as a `problem`.
KMUX_API std::optional<RemoteCacheReport> inquire_remote_cache(const Environment& environment);

/// The disk cache, for maintenance. Callers of `compile` and `build` do not need this class.
///
/// Threads: any; other processes may use the same cache concurrently.   Lifetime: a cheap shared handle.
class KMUX_API Cache {
 public:
  /// Opens the cache that `environment` describes.
  ///
  /// Errors: unavailable if it is disabled or has neither a folder nor a server; invalid_argument if its folder cannot
  ///         be trusted, or for a size limit that is not a size.
  static Result<Cache> open(const Environment& environment);

  /// Returns the folder of the cache.
  const std::filesystem::path& folder() const;
  /// Returns why the cache is read-only, or nothing if it is writable.
  std::optional<std::string> why_read_only() const;
  /// Returns the size limit. A process that stores a build reduces the cache to it.
  ///
  /// Units: bytes.
  std::uint64_t max_bytes() const;

  /// Returns every build, most recently used first.
  std::vector<CachedBuild> list() const;
  /// Reads and checks every build. Moves damaged builds to the folder `quarantine` and returns them.
  std::vector<DamagedBuild> verify() const;
  /// Removes builds older than `max_age`, then the least recently used until `max_bytes` is met.
  ///
  /// Errors: unavailable if the folder is not writable or another process is pruning it.
  Result<PruneReport> prune(const PruneLimits& limits) const;

  /// Returns the files of an intact build.
  ///
  /// Errors: unavailable if it has been removed since; invalid_argument if it is damaged.
  static Result<PackedBuild> pack(const CachedBuild& build);
  /// Returns true if `name` is the name of a file that builds contain.
  static bool is_file_name(std::string_view name);
  /// The result of `add`: the build is new, or the cache already had it.
  enum class Added { kNew, kThere };
  /// Adds a build of another cache after checking every digest. Keeps an existing build of the same key and state.
  ///
  /// Errors: invalid_argument if the build is damaged; unavailable if it cannot be stored.
  Result<Added> add(const PackedBuild& build) const;

 private:
  explicit Cache(std::shared_ptr<ArtifactCache> cache) : cache_(std::move(cache)) {}
  std::shared_ptr<ArtifactCache> cache_;
};

}  // namespace kmux
