#pragma once

#include <map>
#include <string>

#include "cache_entry.h"
#include "cache_folder.h"
#include "dependency_state.h"
#include "staging.h"

namespace kmux {

/// An entry's files by name, for transfer to another cache.
struct PackedEntry {
  std::string key;
  std::string second;
  std::map<std::string, std::string> files;
};

/// Returns the files of an entry whose build began at `began` (`file_time_now()` before it). A relocatable entry gets
/// the shared key.
///
/// Errors: unavailable if the input of the build is no longer known; invalid_argument if its dependencies are malformed
///         or the written entry would be unreadable.
Result<PackedEntry> pack_entry(const CacheKey& key, const CacheEntry& entry, FileTime began);

/// Returns the files of an intact entry.
///
/// Errors: unavailable if it was removed concurrently; invalid_argument if it is damaged.
Result<PackedEntry> pack_entry(const EntryLocation& location);

/// Stores a packed entry unless the cache has an equal one.
///
/// Errors: invalid_argument for invalid file names, missing files and digest mismatches, and then nothing is stored;
///         unavailable with the system's reason.
Result<Staging::Outcome> unpack_entry(const CacheFolder& cache, const PackedEntry& packed);

}  // namespace kmux
