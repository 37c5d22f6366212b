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

/// Why nothing is stored where an environment names no folder for it.
inline constexpr const char* kNoFolder =
    "there is no folder for it (KMUX_CACHE_DIR, XDG_CACHE_HOME and HOME are not set). Set KMUX_CACHE_DIR.";

/// What became of a build, and a moment before it began.
struct BuildOutcome {
  Result<CacheEntry> result;
  FileTime began = 0;
};

/// One build of one key, for all threads that want it while it runs.
class SharedBuild {
 public:
  explicit SharedBuild(std::uint64_t number);
  /// Waits for the leader's outcome.
  const BuildOutcome& wait() const { return outcome_.get(); }
  /// Builds of a process are numbered as they begin, from 1.
  std::uint64_t number() const { return number_; }
  /// Whose leader will complete it: a child that was forked meanwhile must not wait.
  pid_t process() const { return process_; }

 private:
  friend class SingleFlight;
  std::promise<BuildOutcome> promise_;
  std::shared_future<BuildOutcome> outcome_ = promise_.get_future().share();
  std::uint64_t number_;
  pid_t process_;
};

/// The builds of a process that are running: one a key. A build can be joined until its outcome is there.
///
/// Threads: any.
class SingleFlight {
 public:
  struct Turn {
    std::shared_ptr<SharedBuild> build;
    bool leads = false;  // the leader must complete the build
  };
  /// Joins the build of `key`, or begins one.
  Turn join(const std::string& key);
  /// Gives the outcome to all that joined: called by the leader, once.
  const BuildOutcome& complete(const std::string& key, SharedBuild& build, BuildOutcome outcome);
  /// How many builds have begun. One with a larger number begins later than this call.
  std::uint64_t count() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::map<std::string, std::shared_ptr<SharedBuild>> builds_;
};

struct CacheOptions {
  std::filesystem::path folder;  // entries are found and stored here; empty: nothing is stored
  bool is_of_group = false;  // `folder` may be one that a group of this process writes to
  std::vector<std::filesystem::path> read_only = {};  // entries are found here when `folder` has none
  std::filesystem::path lock_folder = {};  // on this machine, not on a network; empty: no locks
  std::chrono::milliseconds lock_timeout{300'000};  // for another process that makes the same entry
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  // on the disk
  std::chrono::hours max_age{24 * 90};  // since an entry was used last
  std::chrono::seconds min_idle{60};  // an entry used more recently is not evicted
  std::chrono::seconds sweep_interval{300};
  std::optional<RemoteOptions> remote = {};  // asked last
  CacheLog log = {};  // receives the entries that are not stored, with the reason
  CacheLog tell = {};  // receives which process a lock is waited for
};

/// Maps keys to entries on the disk, for all processes that use the same folder, and in a remote tier, for a fleet.
///
/// Whatever happens to the folder or the tier, a caller gets an entry that is whole and up to date, or none: damage,
/// removal, a full disk and a server that is gone are misses.
/// Threads:  any.
/// Lifetime: the destructor waits for what is still to be published.
class ArtifactCache {
 public:
  using Make = std::function<Result<CacheEntry>()>;

  /// Opens the cache. If `folder` cannot be written to, or be made, nothing is stored, see `why_read_only`. Folders of
  /// `read_only` that are missing or refused are logged and left out, and so is a refused `lock_folder`.
  ///
  /// Errors: invalid_argument if `folder` is a symbolic link, belongs to another user or may be written to by others.
  static Result<std::shared_ptr<ArtifactCache>> open(CacheOptions options);
  ~ArtifactCache();
  ArtifactCache(const ArtifactCache&) = delete;
  ArtifactCache& operator=(const ArtifactCache&) = delete;

  /// The entry of `key`, or nothing. What the remote tier had is stored in the background.
  std::optional<CacheEntry> find(const CacheKey& key) const;

  /// The same without the remote tier.
  std::optional<CacheEntry> find_here(const CacheKey& key) const;

  /// The entry of `key`, made if there is none: once over all threads of this process, while locks work over all
  /// processes of this machine, and while the remote tier works over all machines that use it. What was made is returned
  /// at once and published in the background, or before if too much waits for that, see Publisher.
  ///
  /// What it returns is what `make` would have made at some moment during this call: a build that had begun before is shared
  /// only if no file that it depends on changed since, and a failure of such a build is not shared. `make` must not ask for
  /// the same key.
  /// Errors: those of `make`, for all who waited for it. `unsupported` is stored and returned again without `make`;
  ///         other errors are not stored.
  Result<CacheEntry> find_or_make(const CacheKey& key, const Make& make);

  /// Stores, in the background, an entry whose build began at `began` (`file_time_now()` before it). An entry is given
  /// up, and that logged, if a file that it depends on changed since, or within the same tick of that clock.
  void publish(const CacheKey& key, CacheEntry entry, FileTime began);

  /// Removes the entries of `key` from the folder, so that other ones can be published under it. Best effort.
  void forget(const CacheKey& key);

  /// Waits until everything made so far is published or given up.
  void flush();

  /// The folder of the options, absolute.
  const std::filesystem::path& folder() const;
  std::uint64_t max_bytes() const;
  /// Why nothing can be stored, or nothing if it can.
  std::optional<std::string> why_read_only() const;

  /// All entries of the folder, unchecked; those whose manifest cannot be read are left out.
  std::vector<StoredEntry> list() const;
  /// Reads every entry of the folder; the damaged ones are put into quarantine and returned.
  std::vector<DamagedEntry> verify() const;
  /// Stores an entry of another cache, see `unpack_entry`.
  ///
  /// Errors: as `unpack_entry`; unavailable if the folder cannot be written to.
  Result<Staging::Outcome> add(const PackedEntry& packed) const;
  /// Removes entries until the rest is within the limits, see `sweep`: all of them if each limit is 0.
  ///
  /// Errors: unavailable if the folder cannot be written to, or another process is sweeping it.
  Result<SweepReport> prune(const SweepLimits& limits) const;

 private:
  struct State;
  explicit ArtifactCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ArtifactCache;

/// The key of something that was learned, kept in the cache as builds are: `kind` says of what sort it is, `parts` are
/// all that it depends on.
CacheKey note_key(const std::string& kind, Json::Object parts);

/// What is kept under `key` in `cache` (which may be null), or nothing; damage is nothing.
std::optional<Json> find_note(const ArtifactCache* cache, const CacheKey& key);

/// Keeps `note` under `key`. What is there already stays, unless it `replaces` that, which waits for the disk.
void store_note(ArtifactCache* cache, const CacheKey& key, const Json& note, bool replaces);

}  // namespace kmux
