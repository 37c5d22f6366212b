#pragma once

#include <filesystem>
#include <string_view>

#include "kmux/error.h"

#include "cache_folder.h"
#include "file_descriptor.h"

namespace kmux {

/// A name below tmp/ that no other process on any machine uses, and that tells which process it belongs to.
std::string staging_name();

/// Is the process that made a folder of that name below tmp/ gone? A process of this machine is asked after; one of
/// another machine or container cannot be, so its folder must be an hour old.
bool is_abandoned(const std::filesystem::path& staging_folder);

/// An entry while it is written: a folder below tmp/, removed unless it was published.
class Staging {
 public:
  enum class Outcome { kPublished, kTaken };  // taken: another process published the same entry first

  /// Errors: unavailable with the system's reason.
  static Result<Staging> make(const CacheFolder& cache);
  Staging(Staging&& other) noexcept = default;
  Staging& operator=(Staging&& other) noexcept = default;
  ~Staging();

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and brings it to the disk.
  ///
  /// Errors: unavailable with the system's reason (no space left on device, ...).
  Status write(const char* name, std::string_view bytes);

  /// Moves the folder to `target` in one step; what is there already stays.
  ///
  /// Errors: unavailable with the system's reason.
  Result<Outcome> publish(const std::filesystem::path& target);

 private:
  Staging(std::filesystem::path path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  std::filesystem::path path_;
  FileDescriptor folder_;  // not open once it was published
};

/// Moves an entry that was found damaged out of the way, so that it can be looked at and made again.
///
/// Nothing happens if `found`, the folder that was read, is no longer the one of that name: another process was quicker.
void put_into_quarantine(const CacheFolder& cache, const std::filesystem::path& entry, const FileDescriptor& found);

}  // namespace kmux
