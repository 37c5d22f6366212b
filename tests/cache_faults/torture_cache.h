#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cache/artifact_cache.h"

namespace kmux {

/// Returns the options of the cache below `folder`, with short time-outs.
CacheOptions torture_options(const std::filesystem::path& folder);

CacheKey torture_key(int number);
/// Returns the result of a build of that key; no other value may ever be found under it.
CacheEntry torture_entry(int number);
bool is_right(const CacheEntry& entry, int number);

/// Runs `body` in a child process, which ends with the returned number; a hung child is killed after a minute.
pid_t start_child(const std::function<int()>& body);
/// Returns the number that the child returned, or minus the signal that ended it.
int wait_for(pid_t child);
/// Runs `body` in `count` children at the same time. Returns their results.
std::vector<int> run_children(int count, const std::function<int(int)>& body);

/// Starts a child that makes key 1 and never ends. Returns after it has written the file `sign`.
pid_t start_stuck_maker(const CacheOptions& options, const std::filesystem::path& sign);

/// The work of a child: finds or makes the entry, notes a make in the file `makes`, and publishes. Returns 0 if the
/// entry is valid.
int use_cache(const CacheOptions& options, int number, const std::filesystem::path& makes);
/// Returns the number of makes.
std::size_t count_makes(const std::filesystem::path& makes);

}  // namespace kmux
