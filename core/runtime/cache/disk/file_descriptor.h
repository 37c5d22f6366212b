#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "kmux/plugin/descriptor.h"

namespace kmux {

/// An open file or folder. The destructor closes it.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}

  /// Opens a folder. Returns a closed descriptor on failure, with the reason in errno. Refuses a symbolic link.
  static FileDescriptor open_folder(const std::filesystem::path& path);
  /// As `open_folder`, for `path` below the folder `above`.
  static FileDescriptor open_folder_at(const FileDescriptor& above, const std::filesystem::path& path);

  /// Returns true if `path` names this file now.
  bool is_at(const std::filesystem::path& path) const;

  int get() const { return fd_.get(); }
  bool ok() const { return fd_.is_open(); }

 private:
  Descriptor fd_;
};

/// A regular file's content, the time of its last change, and its attributes.
struct FileContent {
  std::string bytes;
  std::int64_t mtime_ns = 0;
  struct stat info = {};
};

/// Returns the file `name` in `folder`, or nothing with the reason in errno (EFBIG if it has more than `max_bytes`).
std::optional<FileContent> read_file_at(const FileDescriptor& folder, const char* name, std::uint64_t max_bytes);

/// Returns true if the open folder belongs to a group: it is setgid, and its group may write to it.
bool is_of_group(int folder);

/// Creates the folder `path`, private to its user, or to the group of the folder above. Returns 0 or errno, including
/// EEXIST.
int make_folder_as_above(const std::filesystem::path& path);

/// Writes a new file in `folder` and syncs it to disk. Returns 0 or errno. In a group's folder it is group-writable.
int write_file_at(const FileDescriptor& folder, const char* name, std::string_view bytes);

/// Returns the system's message for an errno.
std::string errno_text(int error);

/// A fault that a test injects at a named step: it may kill the process, or return an errno for the step to fail with.
using FaultHandler = int (*)(std::string_view step);

/// Sets the handler; null in production.
///
/// Threads: any.
void set_fault_handler(FaultHandler handler);

/// Returns 0, or the errno with which the step must fail.
int fault_point(std::string_view step);

}  // namespace kmux
