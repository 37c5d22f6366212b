#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "kmux/json.h"

namespace kmux {

/// A moment on the clock that stamps files (it ticks every few milliseconds), in nanoseconds since 1970.
using FileTime = std::int64_t;

/// Units: nanoseconds.
FileTime to_file_time(const timespec& time);

/// Now. A file that changes later is stamped with this or more.
FileTime file_time_now();

/// What a file or folder is compared by to tell that it is unchanged, on one machine while that runs. Of another machine, and
/// where it differs, only the content counts.
///
/// An identity whose `changed_ns` is not before the moment at which the content was read is unsettled: the file may change
/// again within that tick of the clock, and keep its identity.
struct FileIdentity {
  std::uint64_t device = 0;  // of the file system
  std::uint64_t inode = 0;  // on that device
  std::uint64_t size = 0;  // in bytes
  FileTime mtime_ns = 0;  // of the content
  FileTime ctime_ns = 0;  // of the inode

  /// Of `path` now, links followed; that of no file if there is none.
  static FileIdentity of(const std::string& path);
  /// That of a file whose `stat` is known.
  static FileIdentity of(const struct stat& info);

  /// Is there such a file?
  bool is_there() const { return *this != FileIdentity{}; }
  /// When it was last written, replaced, renamed or stamped. The other time can be set to any moment, later ones, too.
  FileTime changed_ns() const { return ctime_ns; }
  bool operator==(const FileIdentity&) const = default;
};

/// "DEVICE INODE SIZE MTIME CTIME", in decimal.
std::string to_text(const FileIdentity& identity);

/// Reads what `to_text` writes from the front of `text`, and takes it off; nothing for any other text.
std::optional<FileIdentity> take_file_identity(std::string_view& text);

/// What identifies a file of a toolchain without reading it: an object with "path", "size" and "mtime_ns"; only
/// "path" where there is no such file. It stands in keys that machines share, so it has nothing that differs between them.
Json identify_file(const std::string& path);

}  // namespace kmux
