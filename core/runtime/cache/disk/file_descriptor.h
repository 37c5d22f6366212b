#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "kmux/plugin/descriptor.h"

namespace kmux {

/// An open file or folder, closed when this object goes.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}

  /// Opens a folder, or nothing (errno says why). A symbolic link is refused.
  static FileDescriptor open_folder(const std::filesystem::path& path);
  /// As `open_folder`, of `path` below the folder `above`.
  static FileDescriptor open_folder_at(const FileDescriptor& above, const std::filesystem::path& path);

  /// Is this what `path` names now?
  bool is_at(const std::filesystem::path& path) const;

  int get() const { return fd_.get(); }
  bool ok() const { return fd_.is_open(); }

 private:
  Descriptor fd_;
};

/// A regular file's content, the time of its last change, and whose it is.
struct FileContent {
  std::string bytes;
  std::int64_t mtime_ns = 0;
  struct stat info = {};
};

/// The file `name` in `folder`, or nothing (errno says why; EFBIG if it has more than `max_bytes`).
std::optional<FileContent> read_file_at(const FileDescriptor& folder, const char* name, std::uint64_t max_bytes);

/// Returns true if the folder that is open as `folder` is a group's: setgid, and its group may write to it.
bool is_of_group(int folder);

/// Makes the folder `path`, for its user alone, or for the group whose folder it is made in. Returns 0 or errno, EEXIST among it.
int make_folder_as_above(const std::filesystem::path& path);

/// Writes a new file in `folder` and brings it to the disk; 0 or errno. In a group's folder the group may write to it.
int write_file_at(const FileDescriptor& folder, const char* name, std::string_view bytes);

/// The system's words for an errno.
std::string errno_text(int error);

/// What a test injects at a named step: it may kill the process, or return an errno for the step to fail with.
using FaultHandler = int (*)(std::string_view step);

/// Sets the handler; null, as in production, for none.
///
/// Threads: any.
void set_fault_handler(FaultHandler handler);

/// 0, or the errno with which the step has to fail.
int fault_point(std::string_view step);

}  // namespace kmux
