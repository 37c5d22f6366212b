#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cache/artifact_cache.h"

namespace kmux {

/// The cache below `folder`, with short time-outs.
CacheOptions torture_options(const std::filesystem::path& folder);

CacheKey torture_key(int number);
/// What a build of that key makes; nothing else may ever be found under it.
CacheEntry torture_entry(int number);
bool is_right(const CacheEntry& entry, int number);

/// Runs `body` in a child process, which ends with the number it returns; a child that hangs is killed after a minute.
pid_t start_child(const std::function<int()>& body);
/// The number that the child returned, or minus the signal that ended it.
int wait_for(pid_t child);
/// Runs `body` in `count` children at the same time; what each returned.
std::vector<int> run_children(int count, const std::function<int(int)>& body);

/// A child that is making key 1 and never ends; it has written the file `sign`.
pid_t start_stuck_maker(const CacheOptions& options, const std::filesystem::path& sign);

/// A child's work: finds or makes the entry, says so in the file `makes`, and publishes. 0 if the entry is right.
int use_cache(const CacheOptions& options, int number, const std::filesystem::path& makes);
/// How often something was made.
std::size_t count_makes(const std::filesystem::path& makes);

}  // namespace kmux
