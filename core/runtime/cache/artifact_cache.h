#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/json.h"

#include "cache/disk/cache_entry.h"
#include "cache/disk/dependency_state.h"
#include "cache/disk/entry_store.h"
#include "cache/disk/packed_entry.h"
#include "cache/disk/sweeper.h"
#include "cache/remote/remote_cache.h"
#include "cache_turn.h"

namespace kmux {

/// The reason why nothing is stored if the environment names no folder.
inline constexpr const char* kNoFolder =
    "there is no folder for it (KMUX_CACHE_DIR, XDG_CACHE_HOME and HOME are not set). Set KMUX_CACHE_DIR.";

struct CacheOptions {
  std::filesystem::path folder;  // entries are found and stored here; empty: nothing is stored
  bool is_of_group = false;  // `folder` may be writable by a group of this process
  std::vector<std::filesystem::path> read_only = {};  // entries are found here when `folder` has none
  std::filesystem::path lock_folder = {};  // on this machine, not on a network; empty: no locks
  std::chrono::milliseconds lock_timeout{300'000};  // the longest wait for another process that builds the same entry
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  // on the disk
  std::chrono::hours max_age{24 * 90};  // since the last use of an entry
  std::chrono::seconds min_idle{60};  // entries used more recently are not evicted
  std::chrono::seconds sweep_interval{300};
  std::optional<RemoteOptions> remote = {};  // queried last
  CacheLog log = {};  // receives a line for each entry that is not stored, with the reason
  CacheLog tell = {};  // receives a line for each process that holds a lock which is waited for
};

/// Maps keys to entries on disk, for all processes with the same folder, and in a remote tier, for a fleet.
///
/// Callers always get an entry that is intact and up to date, or none. Damage, removal, a full disk and an unreachable
/// server are misses.
/// Threads:  any.
/// Lifetime: the destructor waits until queued entries are published.
class ArtifactCache {
 public:
  /// Opens the cache. If `folder` is not writable and cannot be created, nothing is stored, see `why_read_only`.
  /// Folders of `read_only` that are missing or refused are logged and skipped, and so is a refused `lock_folder`.
  ///
  /// Errors: invalid_argument if `folder` is a symbolic link, belongs to another user or is writable by others.
  static Result<std::shared_ptr<ArtifactCache>> open(CacheOptions options);
  ~ArtifactCache();
  ArtifactCache(const ArtifactCache&) = delete;
  ArtifactCache& operator=(const ArtifactCache&) = delete;

  /// Returns the entry of `key`, or nothing. An entry from the remote tier is stored on disk in the background.
  std::optional<CacheEntry> find(const CacheKey& key) const;

  /// Returns the entry of `key` without querying the remote tier, or nothing.
  std::optional<CacheEntry> find_here(const CacheKey& key) const;

  /// Returns the entry of `key`, or the turn to build it. Of the threads of this process one gets the turn, and the
  /// others wait for its outcome. So do the processes of this machine while locks work, and the machines of a fleet
  /// while the remote tier works.
  ///
  /// The result is that of a build at some time during this call. An earlier build is shared only if no file that it
  /// depends on has changed since, and never if it failed. The holder of a turn must not request the same key.
  /// Errors:   in the turn: those of the build that it waited for. `unsupported` is cached; other errors are not.
  /// Lifetime: the turn borrows the cache and `key`.
  CacheTurn take_turn(const CacheKey& key);

  /// Returns the entry of `key`, calling `make` if this call gets the turn. `make` must not request the same key.
  ///
  /// Errors: as `take_turn`, and those of `make`, for every caller that joined it.
  template <class Make>
  Result<CacheEntry> find_or_make(const CacheKey& key, const Make& make) {
    CacheTurn turn = take_turn(key);
    if (turn.found() != nullptr) return std::move(*turn.found());
    return turn.finish(make());
  }

  /// Stores an entry in the background. Its build began at `began` (`file_time_now()` before it). The entry is dropped
  /// with a log line if a file that it depends on changed since then, or within the same tick of that clock.
  void publish(const CacheKey& key, CacheEntry entry, FileTime began);

  /// Removes the entries of `key` from the folder, so that others can be published under it. Best effort.
  void forget(const CacheKey& key);

  /// Blocks until every entry made so far is published or dropped.
  void flush();

  /// Returns the folder of the options as an absolute path.
  const std::filesystem::path& folder() const;
  std::uint64_t max_bytes() const;
  /// Returns why the cache is read-only, or nothing if it is writable.
  std::optional<std::string> why_read_only() const;

  /// Returns all entries of the folder, unchecked, without those with an unreadable manifest.
  std::vector<StoredEntry> list() const;
  /// Reads every entry of the folder. Moves damaged ones to quarantine and returns them.
  std::vector<DamagedEntry> verify() const;
  /// Stores an entry of another cache, see `unpack_entry`.
  ///
  /// Errors: as `unpack_entry`; unavailable if the folder is not writable.
  Result<Staging::Outcome> add(const PackedEntry& packed) const;
  /// Removes entries until the rest is within the limits, see `sweep`; all of them if each limit is 0.
  ///
  /// Errors: unavailable if the folder is not writable, or another process is sweeping it.
  Result<SweepReport> prune(const SweepLimits& limits) const;

 private:
  friend class CacheTurn;
  struct State;
  explicit ArtifactCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ArtifactCache;

/// Returns the key of a note, which is cached like a build. `kind` is its category; `parts` must contain everything
/// that it depends on.
CacheKey note_key(const std::string& kind, Json::Object parts);

/// Returns the note of `key` in `cache` (which may be null), or nothing if it is missing or damaged.
std::optional<Json> find_note(const ArtifactCache* cache, const CacheKey& key);

/// Stores `note` under `key`. Keeps an existing note unless `replaces` is true, which waits for the disk.
void store_note(ArtifactCache* cache, const CacheKey& key, const Json& note, bool replaces);

}  // namespace kmux
