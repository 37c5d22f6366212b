#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache_entry.h"
#include "cache_folder.h"
#include "dependency_state.h"
#include "entry_files.h"
#include "packed_entry.h"

namespace kmux {

/// Receives problems that do not affect the caller. Threads: any.
using CacheLog = std::function<void(const std::string&)>;

/// An entry as `list` reports it.
struct StoredEntry {
  EntryLocation location;
  Json parts;
  std::uint64_t bytes = 0;  // on the disk
  FileTime created_ns = 0;
  FileTime used_ns = 0;
  bool negative = false;
};

/// A damaged entry and the reason.
struct DamagedEntry {
  std::filesystem::path folder;
  std::string reason;
};

/// Finds and stores entries in one cache folder.
///
/// Threads: any.
class EntryStore {
 public:
  EntryStore(CacheFolder folder, CacheLog log) : folder_(std::move(folder)), log_(std::move(log)) {}

  const CacheFolder& folder() const { return folder_; }

  /// Returns an intact and current entry of `key`, or nothing. Damaged ones are logged and moved to quarantine. Headers
  /// of a shared entry are searched in `folders`.
  std::optional<CacheEntry> find(const std::string& key, const IncludeFolders& folders = {}) const;

  /// Stores an entry that this process packed. Keeps an existing equal one.
  ///
  /// Errors: unavailable with the system's reason.
  Status store(const PackedEntry& entry) const;

  /// Returns all entries, unchecked, without those with an unreadable manifest.
  std::vector<StoredEntry> list() const;
  /// Reads every entry. Moves damaged ones to quarantine and returns them.
  std::vector<DamagedEntry> verify() const;

 private:
  void refuse(const EntryLocation& location, const EntryReading& reading) const;

  CacheFolder folder_;
  CacheLog log_;
};

}  // namespace kmux
