#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cache/disk/cache_entry.h"
#include "cache/disk/key_lock.h"

namespace kmux {

/// An entry that this process made and that is not on disk yet, with the lock that keeps other processes from making it.
struct UnpublishedEntry {
  CacheEntry entry;
  std::shared_ptr<KeyLocks::Held> lock = {};  // null if there is none
};

/// The entries of a process that are on their way to the disk, each as long as somebody holds it.
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

}  // namespace kmux
