// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <sys/stat.h>

#include "kmux/error.h"

namespace kmux {

/// Checks that no user but root and the caller's can replace `path`. Each folder above it, links resolved, must belong
/// to one of the two, and neither its group nor others may write to it, unless it is sticky. A group with the user's
/// own number is trusted, and so are groups that `trusts` accepts.
///
/// Errors:  invalid_argument that names the folder and a remedy; unavailable if the path cannot be resolved.
/// Threads: any.
/// Source:  OpenSSH, safe_path.
Status check_parents(const std::filesystem::path& path, const std::function<bool(gid_t)>& trusts = {});

/// Returns true if root or the caller's user owns the file or folder of `info` and no other user may write to it.
bool is_private_to_user(const struct stat& info);

}  // namespace kmux
