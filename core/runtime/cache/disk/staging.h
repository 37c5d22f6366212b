#pragma once

#include <filesystem>
#include <string_view>

#include "kmux/error.h"

#include "cache_folder.h"
#include "file_descriptor.h"

namespace kmux {

/// Returns a name below tmp/ that is unique across machines and identifies its process.
std::string staging_name();

/// Returns true if the process that created this folder below tmp/ has ended. Only a process of this machine can be
/// checked; otherwise returns true if the folder is more than an hour old.
bool is_abandoned(const std::filesystem::path& staging_folder);

/// An entry being written: a folder below tmp/, removed by the destructor unless published.
class Staging {
 public:
  enum class Outcome { kPublished, kTaken };  // taken: another process published the same entry first

  /// Creates an empty folder below tmp/.
  ///
  /// Errors: unavailable with the system's reason.
  static Result<Staging> make(const CacheFolder& cache);
  Staging(Staging&& other) noexcept = default;
  Staging& operator=(Staging&& other) noexcept = default;
  ~Staging();

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and syncs it to disk.
  ///
  /// Errors: unavailable with the system's reason (no space left on device, ...).
  Status write(const char* name, std::string_view bytes);

  /// Moves the folder to `target` atomically. Keeps an existing entry.
  ///
  /// Errors: unavailable with the system's reason.
  Result<Outcome> publish(const std::filesystem::path& target);

 private:
  Staging(std::filesystem::path path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  std::filesystem::path path_;
  FileDescriptor folder_;  // closed after publication
};

/// Moves a damaged entry to quarantine, so that it can be examined and built again.
///
/// Does nothing if `found`, the folder that was read, no longer has that name: another process was first.
void put_into_quarantine(const CacheFolder& cache, const std::filesystem::path& entry, const FileDescriptor& found);

}  // namespace kmux
