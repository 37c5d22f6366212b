#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "kmux/error.h"
#include "kmux/json.h"

#include "cache/disk/cache_entry.h"
#include "cache/disk/dependency_state.h"
#include "cache/disk/entry_store.h"
#include "cache/disk/packed_entry.h"
#include "cache/disk/sweeper.h"
#include "cache/remote/remote_cache.h"

namespace kmux {

/// The reason why nothing is stored if the environment names no folder.
inline constexpr const char* kNoFolder =
    "there is no folder for it (KMUX_CACHE_DIR, XDG_CACHE_HOME and HOME are not set). Set KMUX_CACHE_DIR.";

/// The outcome of a build, and a time before it began.
struct BuildOutcome {
  Result<CacheEntry> result;
  FileTime began = 0;
};

/// One build of one key, shared by all threads that request it while it runs.
class SharedBuild {
 public:
  explicit SharedBuild(std::uint64_t number);
  /// Blocks until the leader has completed, and returns its outcome. Valid as long as this object.
  const BuildOutcome& wait() const { return outcome_.get(); }
  /// Returns its number. Builds of a process are numbered in the order in which they begin, from 1.
  std::uint64_t number() const { return number_; }
  /// Returns the process of the leader. A child forked since must not wait.
  pid_t process() const { return process_; }

 private:
  friend class SingleFlight;
  std::promise<BuildOutcome> promise_;
  std::shared_future<BuildOutcome> outcome_ = promise_.get_future().share();
  std::uint64_t number_;
  pid_t process_;
};

/// The running builds of a process, one per key. A build can be joined until it has an outcome.
///
/// Threads: any.
class SingleFlight {
 public:
  struct Turn {
    std::shared_ptr<SharedBuild> build;
    bool leads = false;  // the leader must complete the build
  };
  /// Joins the build of `key`, or starts one as its leader.
  Turn join(const std::string& key);
  /// Passes the outcome to all joined callers. The leader must call this exactly once.
  const BuildOutcome& complete(const std::string& key, SharedBuild& build, BuildOutcome outcome);
  /// Returns the number of builds begun so far. A build with a larger number begins after this call.
  std::uint64_t count() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::map<std::string, std::shared_ptr<SharedBuild>> builds_;
};

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
  using Make = std::function<Result<CacheEntry>()>;

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

  /// Returns the entry of `key`, calling `make` if none exists. Runs `make` once across the threads of this process.
  /// Also once across the processes of this machine while locks work, and across machines while the remote tier works.
  /// A new entry is returned at once and published in the background, or before the return if the queue is full, see
  /// Publisher.
  ///
  /// The result equals the result of `make` at some time during this call. An earlier build is shared only if no file
  /// that it depends on has changed since, and never if it failed. `make` must not request the same key.
  /// Errors: those of `make`, for every caller that joined it. `unsupported` is cached and returned later without
  ///         `make`; other errors are not cached.
  Result<CacheEntry> find_or_make(const CacheKey& key, const Make& make);

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
