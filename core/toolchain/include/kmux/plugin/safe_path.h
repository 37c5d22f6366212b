// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <sys/stat.h>

#include "kmux/error.h"

namespace kmux {

/// Accepts `path` if no user but root and the caller's can put something else in its place: each folder above it, links resolved,
/// belongs to one of the two, and neither its group nor others may write to it, unless it is sticky.
/// A group of the user's own number is the user, and so is one that `trusts` accepts.
///
/// Errors:  invalid_argument that names the folder and says what to change; unavailable if there is none.
/// Threads: any.
/// Source:  OpenSSH, safe_path.
Status check_parents(const std::filesystem::path& path, const std::function<bool(gid_t)>& trusts = {});

/// Returns true if `info` is of a file or folder that root or the caller's user owns and no other user may write to.
bool is_private_to_user(const struct stat& info);

}  // namespace kmux
