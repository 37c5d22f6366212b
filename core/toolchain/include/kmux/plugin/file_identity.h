#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "kmux/json.h"

namespace kmux {

/// A time of the clock that stamps files (it ticks every few milliseconds), in nanoseconds since 1970.
using FileTime = std::int64_t;

/// Converts a time. Units: nanoseconds.
FileTime to_file_time(const timespec& time);

/// Returns the current time. A file that changes later gets this stamp or a later one.
FileTime file_time_now();

/// The metadata that shows a file or folder to be unchanged, on one machine until it reboots. On other machines, and if
/// it differs, only the content counts.
///
/// An identity is unsettled unless `changed_ns` is before the time at which the content was read: the file may change
/// again within that tick of the clock and keep its identity.
struct FileIdentity {
  std::uint64_t device = 0;  // of the file system
  std::uint64_t inode = 0;  // on that device
  std::uint64_t size = 0;  // in bytes
  FileTime mtime_ns = 0;  // of the content's last change
  FileTime ctime_ns = 0;  // of the inode's last change

  /// Returns the current identity of `path`, following links; a default one if the file does not exist.
  static FileIdentity of(const std::string& path);
  /// Returns the identity for a known `stat`.
  static FileIdentity of(const struct stat& info);

  /// Returns true if the file exists.
  bool is_there() const { return *this != FileIdentity{}; }
  /// Returns the last time it was written, replaced, renamed or stamped. `mtime_ns`, in contrast, can be set to any
  /// time, also a later one.
  FileTime changed_ns() const { return ctime_ns; }
  bool operator==(const FileIdentity&) const = default;
};

/// Returns "DEVICE INODE SIZE MTIME CTIME", in decimal.
std::string to_text(const FileIdentity& identity);

/// Parses the output of `to_text` at the front of `text` and removes it; returns nothing for any other text.
std::optional<FileIdentity> take_file_identity(std::string_view& text);

/// Returns an object that identifies a file of a toolchain without reading it: "path", "size" and "mtime_ns", or only
/// "path" if the file is missing. It is part of keys that machines share, so it must not contain machine-specific data.
Json identify_file(const std::string& path);

}  // namespace kmux
