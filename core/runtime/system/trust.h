#pragma once

#include <filesystem>

#include "kmux/error.h"

namespace kmux {

/// The folder of libkmux.so itself. Empty if the loader knows it by a relative path only: the current directory has no
/// say in where code is taken from.
///
/// Threads: any.
const std::filesystem::path& own_folder();

/// Does `path`, a file or a folder, belong to this user or to root, and may not everyone write to it?
///
/// Errors: unavailable that names its owner, or the permission that is too wide.
Status check_owner(const std::filesystem::path& path);

/// May code be taken from `path`? As `check_owner`, and its group may not write to it either, unless the same group may
/// write to `library_folder`: who can replace this library itself gains nothing.
///
/// Errors: as `check_owner`, or unavailable that names the group.
///
/// Threads: any.
Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& library_folder = own_folder());

/// May code be taken from `path`, and can no other user put something else in its place? As `check_trusted`, and as `check_parents`
/// of the folders above it.
///
/// Errors: unavailable, as of both.
///
/// Threads: any.
Status check_trusted_place(const std::filesystem::path& path,
                           const std::filesystem::path& library_folder = own_folder());

}  // namespace kmux
