#pragma once

#include <filesystem>

#include "kmux/error.h"

namespace kmux {

/// Returns the folder of libkmux.so. Empty if the loader knows it by a relative path only: the current directory must
/// not decide where code comes from.
///
/// Threads: any.
const std::filesystem::path& own_folder();

/// Checks that `path`, a file or a folder, belongs to this user or root and is not world-writable.
///
/// Errors: unavailable that names the owner, or the excessive permission.
Status check_owner(const std::filesystem::path& path);

/// Checks that code may be loaded from `path`. Extends `check_owner`: it must not be group-writable either, unless the
/// same group may write to `library_folder`. Users that can replace this library gain nothing by replacing `path`.
///
/// Errors: as `check_owner`, or unavailable that names the group.
///
/// Threads: any.
Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& library_folder = own_folder());

/// Checks that code may be loaded from `path` and that no other user can replace it. Combines `check_trusted` with
/// `check_parents` on the folders above it.
///
/// Errors: unavailable, those of both.
///
/// Threads: any.
Status check_trusted_place(const std::filesystem::path& path,
                           const std::filesystem::path& library_folder = own_folder());

}  // namespace kmux
