#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "cache_folder.h"
#include "dependency_state.h"

namespace kmux {

/// What may stay in a cache.
struct SweepLimits {
  std::uint64_t max_bytes = 0;        // on the disk, in blocks
  std::chrono::seconds max_age{0};    // since last used
  std::chrono::seconds min_idle{60};  // younger entries stay, whatever the other two say
};

struct SweepReport {
  std::uint64_t entries_removed = 0;
  std::uint64_t bytes_removed = 0;
  std::uint64_t entries_left = 0;
  std::uint64_t bytes_left = 0;
};

/// What a folder and the files in it take on the disk.
std::uint64_t bytes_on_disk(const std::filesystem::path& folder);

/// When an entry was used last; 0 if it is gone.
FileTime last_used(const EntryLocation& location);

/// Removes what is too old, then what was used least recently until the rest is small enough; also abandoned
/// temporaries, and quarantined entries after a day (or `max_age`, if that is less).
///
/// A reader sees an entry whole or not at all: it loses its name before its files. Safe beside another sweep.
SweepReport sweep(const CacheFolder& cache, const SweepLimits& limits);

/// Removes all but the `most` entries of a key that were used last: a header edited again and again leaves one each time.
void trim_key(const CacheFolder& cache, const std::string& key, std::size_t most);

/// Is the last sweep of this cache, by any process, longer ago than `interval`? If so, this one's is noted.
bool sweep_is_due(const CacheFolder& cache, std::chrono::seconds interval);

}  // namespace kmux
