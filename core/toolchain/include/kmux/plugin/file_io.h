#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The largest file that `read_file` takes by default.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20;

/// The content of a regular file.
///
/// Errors:  unavailable if it does not exist, is not a regular file or cannot be read; invalid_argument if it is larger
///          than `max_bytes`. The message names the file and the system's reason.
/// Threads: any.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxFileBytes);

/// Writes a file through a temporary file beside it and a rename: a reader sees the old content or the new, never half. The file
/// keeps its rights, and a link leads to it as before.
///
/// Errors:  unavailable that names the file and the reason, for what is not a regular file, too; nothing is left behind.
/// Threads: any.
Status write_file(const std::filesystem::path& path, std::string_view content);

/// Returns `path` from the root on, without "." and "..", or as it is where the working directory is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Returns true for a file, a folder or a link, wherever that leads; false where the system does not tell.
bool is_there(const std::filesystem::path& path);

/// Returns the paths of what is in `folder`, sorted; none where it cannot be read.
std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder);

/// The content of a file that a user named, as `read_file` reads it.
///
/// Errors: invalid_argument, as for every other wrong word: a file that is missing has the same code wherever it is named.
inline Result<std::string> read_named_file(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxFileBytes) {
  Result<std::string> content = read_file(path, max_bytes);
  if (!content) content.error().code = ErrorCode::kInvalidArgument;
  return content;
}

}  // namespace kmux
