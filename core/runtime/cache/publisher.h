#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cache/disk/cache_entry.h"
#include "cache/disk/dependency_state.h"
#include "cache/disk/entry_store.h"
#include "cache/disk/key_lock.h"
#include "cache/disk/owned_thread.h"
#include "cache/remote/remote_lease.h"

namespace kmux {

/// An entry that this process made and that is not on disk yet, with the lock that keeps other processes from making it.
struct UnpublishedEntry {
  CacheEntry entry;
  std::shared_ptr<KeyLocks::Held> lock = {};  // null if there is none
};

/// The entries of a process that are being written to the disk, each as long as a handle of it is held.
///
/// Threads: any.
class Unpublished {
 public:
  /// The latest entry of `key`, or null.
  std::shared_ptr<const UnpublishedEntry> find(const std::string& key) const;
  void add(const std::string& key, const std::shared_ptr<const UnpublishedEntry>& entry);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const UnpublishedEntry>> entries_;
};

/// An entry on its way to the disk, with what is held until it is there.
struct Publication {
  CacheKey key;
  CacheEntry entry;
  FileTime began = 0;  // when its build began
  std::shared_ptr<const UnpublishedEntry> unpublished = {};  // found by this process until the entry is on disk
  std::unique_ptr<RemoteLease> lease = {};
  bool from_remote = false;  // there it is already
};

/// Publishes in a thread of its own, which begins with the first publication.
///
/// What waits is bounded. Beyond that, and where no thread can be started, `add` publishes itself before it returns: who
/// compiles faster than the disk takes it is slowed down, and nothing is lost (docs/design/0031-publications.md). What
/// `publish` throws costs that publication and a line of the log.
/// A child that was forked has no such thread: what is added there is dropped.
/// Threads: any; `publish` is called by several at the same time.
class Publisher {
 public:
  /// What may wait. Units: bytes of artifacts and launchers; an entry that has more alone waits alone.
  struct Limits {
    std::size_t count = 32;
    std::size_t bytes = std::size_t{64} << 20;
  };
  explicit Publisher(std::function<void(Publication&)> publish, CacheLog log = {});
  Publisher(std::function<void(Publication&)> publish, CacheLog log, Limits limits);
  /// Waits until everything is published or given up.
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  void add(Publication publication) noexcept;
  /// Waits until everything that was added before is published or given up.
  void flush();

 private:
  struct State;
  bool queue(Publication& publication);

  std::shared_ptr<State> state_;
  OwnedThread thread_;
};

}  // namespace kmux
