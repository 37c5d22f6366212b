#pragma once

#include <map>
#include <string>

#include "cache_entry.h"
#include "cache_folder.h"
#include "dependency_state.h"
#include "staging.h"

namespace kmux {

/// An entry's files by name, to be carried to another cache.
struct PackedEntry {
  std::string key;
  std::string second;
  std::map<std::string, std::string> files;
};

/// The files of an entry, of the shared key if it is relocatable, whose build began at `began` (`file_time_now()` before it).
///
/// Errors: unavailable if what the build read is not known any more; invalid_argument if its dependencies are malformed
///         or it could not be read back.
Result<PackedEntry> pack_entry(const CacheKey& key, const CacheEntry& entry, FileTime began);

/// The files of an entry that is whole.
///
/// Errors: unavailable if it was removed meanwhile; invalid_argument if it is damaged.
Result<PackedEntry> pack_entry(const EntryLocation& location);

/// Stores a packed entry, unless there is an equal one.
///
/// Errors: invalid_argument for names that no entry has, missing files and digests that do not agree: nothing of it is
///         then stored; unavailable with the system's reason.
Result<Staging::Outcome> unpack_entry(const CacheFolder& cache, const PackedEntry& packed);

}  // namespace kmux
