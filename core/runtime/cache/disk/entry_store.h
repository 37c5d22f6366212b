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

/// Takes what went wrong without harm to the caller. Threads: any.
using CacheLog = std::function<void(const std::string&)>;

/// An entry as `list` tells it.
struct StoredEntry {
  EntryLocation location;
  Json parts;
  std::uint64_t bytes = 0;  // on the disk
  FileTime created_ns = 0;
  FileTime used_ns = 0;
  bool negative = false;
};

/// An entry that was found damaged, and why.
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

  /// An entry of `key` that is whole and up to date, or nothing. Damaged ones are logged and put into quarantine.
  /// Headers of a shared entry are looked for in `folders`.
  std::optional<CacheEntry> find(const std::string& key, const IncludeFolders& folders = {}) const;

  /// Stores an entry that was packed here; an equal one that is there already stays.
  ///
  /// Errors: unavailable with the system's reason.
  Status store(const PackedEntry& entry) const;

  /// All entries, unchecked; those whose manifest cannot be read are left out.
  std::vector<StoredEntry> list() const;
  /// Reads every entry; the damaged ones are put into quarantine and returned.
  std::vector<DamagedEntry> verify() const;

 private:
  void refuse(const EntryLocation& location, const EntryReading& reading) const;

  CacheFolder folder_;
  CacheLog log_;
};

}  // namespace kmux
