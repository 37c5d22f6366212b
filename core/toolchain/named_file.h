#pragma once

#include "kmux/plugin/file_io.h"

namespace kmux {

/// The content of a file that a user named, as `read_file` reads it.
///
/// Errors: invalid_argument, as for every other wrong word: a file that is missing has the same code wherever it is named.
inline Result<std::string> read_named_file(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxFileBytes) {
  Result<std::string> content = read_file(path, max_bytes);
  if (!content) content.error().code = ErrorCode::kInvalidArgument;
  return content;
}

}  // namespace kmux
