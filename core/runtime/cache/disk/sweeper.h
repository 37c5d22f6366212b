#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "cache_folder.h"
#include "dependency_state.h"

namespace kmux {

/// The limits that a sweep enforces.
struct SweepLimits {
  std::uint64_t max_bytes = 0;        // on the disk, in blocks
  std::chrono::seconds max_age{0};    // since last used
  std::chrono::seconds min_idle{60};  // more recently used entries stay regardless of the other limits
};

struct SweepReport {
  std::uint64_t entries_removed = 0;
  std::uint64_t bytes_removed = 0;
  std::uint64_t entries_left = 0;
  std::uint64_t bytes_left = 0;
};

/// Returns the disk space of a folder and the files in it.
///
/// Units: bytes.
std::uint64_t bytes_on_disk(const std::filesystem::path& folder);

/// Returns the time of an entry's last use; 0 if it was removed.
FileTime last_used(const EntryLocation& location);

/// Removes entries that are too old, then the least recently used ones until the rest is small enough. Also removes
/// abandoned temporaries, and quarantined entries after a day (or `max_age`, if that is less).
///
/// Readers see an entry entirely or not at all: it loses its name before its files. Safe to run concurrently with
/// another sweep.
SweepReport sweep(const CacheFolder& cache, const SweepLimits& limits);

/// Removes all but the `most` recently used entries of a key: each edit of a header leaves one entry.
void trim_key(const CacheFolder& cache, const std::string& key, std::size_t most);

/// Returns true if the last sweep of this cache, by any process, is longer ago than `interval`. Then it records a sweep
/// now.
bool sweep_is_due(const CacheFolder& cache, std::chrono::seconds interval);

}  // namespace kmux
