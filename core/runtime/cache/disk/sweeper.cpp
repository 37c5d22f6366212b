#include "sweeper.h"

#include <algorithm>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/file_io.h"

#include "entry_files.h"
#include "staging.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlockBytes = 512;  // unit of st_blocks, regardless of the file system's block size
constexpr auto kQuarantineAge = std::chrono::hours(24);
constexpr FileTime kSecond = 1'000'000'000;

struct Candidate {
  EntryLocation location;
  std::uint64_t bytes = 0;
  FileTime used_ns = 0;
};

/// Returns a past time on the exact clock: some files are stamped by it, and none may appear to be in the future.
FileTime ago(std::chrono::seconds seconds) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return to_file_time(now) - seconds.count() * kSecond;
}

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    paths.push_back(item->path());
  }
  return paths;
}

/// Removes the name first, then the files, then the folders above if they are empty.
bool evict(const CacheFolder& cache, const EntryLocation& location) {
  std::error_code error;
  const fs::path aside = cache.staging() / staging_name();
  make_folder_as_above(cache.staging());  // the rename reports a failure
  fs::rename(location.folder, aside, error);
  if (error) return false;
  remove_tree(aside);
  const fs::path key = location.folder.parent_path();
  if (::rmdir(key.c_str()) == 0) ::rmdir(key.parent_path().c_str());
  return true;
}

std::vector<Candidate> least_recent_first(std::vector<EntryLocation> locations) {
  std::vector<Candidate> candidates;
  for (EntryLocation& location : locations) {
    const std::uint64_t bytes = bytes_on_disk(location.folder);
    const FileTime used_ns = last_used(location);
    candidates.push_back({std::move(location), bytes, used_ns});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.used_ns < b.used_ns; });
  return candidates;
}

void sweep_temporaries(const CacheFolder& cache) {
  for (const fs::path& path : paths_in(cache.staging())) {
    if (is_abandoned(path)) remove_tree(path);
  }
}

/// Removes old entries. A folder's ctime is the time it was moved to quarantine.
void sweep_quarantine(const CacheFolder& cache, std::chrono::seconds max_age) {
  const FileTime oldest = ago(std::min<std::chrono::seconds>(max_age, kQuarantineAge));
  for (const fs::path& path : paths_in(cache.quarantine())) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0 && FileIdentity::of(info).changed_ns() <= oldest) remove_tree(path);
  }
}

}  // namespace

std::uint64_t bytes_on_disk(const fs::path& folder) {
  struct stat info{};
  std::uint64_t blocks = ::lstat(folder.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) : 0;
  for (const char* name : kEntryFiles) {
    if (::lstat((folder / name).c_str(), &info) == 0) blocks += static_cast<std::uint64_t>(info.st_blocks);
  }
  return blocks * kBlockBytes;
}

FileTime last_used(const EntryLocation& location) {
  struct stat info{};
  return ::lstat((location.folder / kManifestFile).c_str(), &info) == 0 ? FileIdentity::of(info).mtime_ns : 0;
}

SweepReport sweep(const CacheFolder& cache, const SweepLimits& limits) {
  SweepReport report;
  sweep_temporaries(cache);
  sweep_quarantine(cache, limits.max_age);
  const std::vector<Candidate> candidates = least_recent_first(cache.entries());
  for (const Candidate& candidate : candidates) report.bytes_left += candidate.bytes;
  report.entries_left = candidates.size();
  const FileTime oldest = ago(limits.max_age);
  const FileTime youngest = ago(limits.min_idle);
  for (const Candidate& candidate : candidates) {
    const bool unwanted = candidate.used_ns <= oldest || report.bytes_left > limits.max_bytes;
    if (!unwanted || candidate.used_ns > youngest) break;  // the remaining ones were used later
    if (!evict(cache, candidate.location)) continue;
    ++report.entries_removed;
    --report.entries_left;
    report.bytes_removed += candidate.bytes;
    report.bytes_left -= candidate.bytes;
  }
  return report;
}

void trim_key(const CacheFolder& cache, const std::string& key, std::size_t most) {
  std::vector<EntryLocation> locations = cache.entries_of(key);
  if (locations.size() <= most) return;
  const std::vector<Candidate> candidates = least_recent_first(std::move(locations));
  for (std::size_t i = 0; i + most < candidates.size(); ++i) evict(cache, candidates[i].location);
}

bool sweep_is_due(const CacheFolder& cache, std::chrono::seconds interval) {
  const fs::path stamp = cache.sweep_stamp();
  struct stat info{};
  if (::lstat(stamp.c_str(), &info) == 0 && FileIdentity::of(info).mtime_ns > ago(interval)) return false;
  const FileDescriptor file(::open(stamp.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.ok() && is_of_group(FileDescriptor::open_folder(cache.path()).get())) ::fchmod(file.get(), 0660);
  if (file.ok()) ::futimens(file.get(), nullptr);
  return file.ok();
}

}  // namespace kmux
