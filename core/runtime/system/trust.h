#pragma once

#include <filesystem>

#include "kmux/error.h"

#include "own_folder.h"

namespace kmux {

/// Does `path`, a file or a folder, belong to this user or to root, and may not everyone write to it?
///
/// Errors: unavailable that names its owner, or the permission that is too wide.
Status check_owner(const std::filesystem::path& path);

/// May code be taken from `path`? As `check_owner`, and its group may not write to it either, unless the same group may
/// write to `library_folder`: who can replace this library itself gains nothing.
///
/// Errors: as `check_owner`, or unavailable that names the group.
Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& library_folder = own_folder());

}  // namespace kmux
