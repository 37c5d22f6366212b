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

/// An entry that this process made and that is not on disk yet, with the lock that stops other processes from building
/// it.
struct UnpublishedEntry {
  CacheEntry entry;
  std::shared_ptr<KeyLocks::Held> lock = {};  // null without a lock
};

/// The entries of a process that are being written to disk. Each is found as long as its owner holds the handle.
///
/// Threads: any.
class Unpublished {
 public:
  /// Returns the latest entry of `key`, or null.
  std::shared_ptr<const UnpublishedEntry> find(const std::string& key) const;
  void add(const std::string& key, const std::shared_ptr<const UnpublishedEntry>& entry);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const UnpublishedEntry>> entries_;
};

/// An entry queued for publication, and the objects that are held until it is on disk.
struct Publication {
  CacheKey key;
  CacheEntry entry;
  FileTime began = 0;  // when its build began
  std::shared_ptr<const UnpublishedEntry> unpublished = {};  // found by this process until the entry is on disk
  std::unique_ptr<RemoteLease> lease = {};
  bool from_remote = false;  // the remote tier already has it
};

/// Publishes on a separate thread, started by the first publication.
///
/// The queue is bounded. If it is full, or no thread can be started, `add` publishes before it returns. So callers that
/// compile faster than the disk writes are slowed down, and no entry is lost (docs/design/0031-publications.md). If
/// `publish` throws, that publication is lost and a line is logged. A forked child has no such thread: entries added
/// there are dropped.
/// Threads: any; `publish` must be thread-safe, since several threads call it at once.
class Publisher {
 public:
  /// The limits of the queue; an entry above the limit is queued alone.
  ///
  /// Units: bytes of artifacts and launchers.
  struct Limits {
    std::size_t count = 32;
    std::size_t bytes = std::size_t{64} << 20;
  };
  explicit Publisher(std::function<void(Publication&)> publish, CacheLog log = {});
  Publisher(std::function<void(Publication&)> publish, CacheLog log, Limits limits);
  /// Blocks until every entry is published or dropped.
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  void add(Publication publication) noexcept;
  /// Blocks until every entry added before is published or dropped.
  void flush();

 private:
  struct State;
  bool queue(Publication& publication);

  std::shared_ptr<State> state_;
  OwnedThread thread_;
};

}  // namespace kmux
