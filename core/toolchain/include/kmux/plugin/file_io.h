#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The default size limit of `read_file`.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20;

/// Returns the content of a regular file.
///
/// Errors:  unavailable if it does not exist, is not a regular file or cannot be read; invalid_argument if it is larger
///          than `max_bytes`. The message names the file and the system's reason.
/// Threads: any.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxFileBytes);

/// Writes a file through a temporary file beside it and a rename: readers see the old or the new content, never a part.
/// An existing file keeps its permissions, and a link keeps its target.
///
/// Errors:  unavailable that names the file and the reason, also for a non-regular file; leaves no temporary file.
/// Threads: any.
Status write_file(const std::filesystem::path& path, std::string_view content);

/// Returns `path` as an absolute path without "." and "..", or relative if the working directory is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Returns true if a file, folder or link exists, even a dangling link; false if the system cannot tell.
bool is_there(const std::filesystem::path& path);

/// Returns the paths of the entries of `folder`, sorted; none if it cannot be read.
std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder);

/// Reads a file named by the user, as `read_file` does.
///
/// Errors: invalid_argument, as for any other invalid input: a missing file has the same code wherever it is named.
inline Result<std::string> read_named_file(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxFileBytes) {
  Result<std::string> content = read_file(path, max_bytes);
  if (!content) content.error().code = ErrorCode::kInvalidArgument;
  return content;
}

/// Removes a file, or a folder with its contents. What cannot be removed stays.
void remove_tree(const std::filesystem::path& path) noexcept;

}  // namespace kmux
