#pragma once

#include <filesystem>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// The bytes of the file that holds a fleet's key.
///
/// Errors: unavailable if it cannot be read; invalid_argument if it is no regular file, belongs to somebody else than
///         this user or root, others may read it (a group may read root's), or it has less than 16 bytes or more than
///         4096. All say what to do.
Result<std::string> read_remote_secret(const std::filesystem::path& file);

}  // namespace kmux
