// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/safe_path.h"

#include <string>
#include <unistd.h>

namespace kmux {
namespace {

namespace fs = std::filesystem;

// Many systems give each user a group of the same number and let it write to the files of the user.
bool is_users_own(gid_t group) { return group == ::geteuid() && group == ::getegid(); }

bool may_others_write(const struct stat& info, const std::function<bool(gid_t)>& trusts = {}) {
  if ((info.st_mode & S_IWOTH) != 0) return true;
  return (info.st_mode & S_IWGRP) != 0 && !is_users_own(info.st_gid) && !(trusts && trusts(info.st_gid));
}

bool is_of_root_or_user(const struct stat& info) { return info.st_uid == 0 || info.st_uid == ::geteuid(); }

Error refused(const fs::path& path, const fs::path& above, const std::string& why, const std::string& advice) {
  const std::string where = "\"" + path.string() + "\" is refused (\"" + above.string() + "\" above it ";
  return make_error(ErrorCode::kInvalidArgument, where + why + "). " + advice);
}

}  // namespace

Status check_parents(const fs::path& path, const std::function<bool(gid_t)>& trusts) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) {
    return make_error(ErrorCode::kUnavailable, "\"" + path.string() + "\" cannot be looked at (" + error.message() +
                                                   "). Name one that is there.");
  }
  for (fs::path above = resolved.parent_path(); above != above.parent_path(); above = above.parent_path()) {
    struct stat info{};
    if (::stat(above.c_str(), &info) != 0) continue;  // created later, below a folder that is checked
    if (!is_of_root_or_user(info)) {
      return refused(path, above, "belongs to user " + std::to_string(info.st_uid), "Name a folder below your own.");
    }
    const bool is_sticky = (info.st_mode & S_ISVTX) != 0;
    if (!is_sticky && may_others_write(info, trusts)) {
      return refused(path, above, "may be written to by others", "Run `chmod go-w` on it, or name another.");
    }
  }
  return Ok{};
}

bool is_private_to_user(const struct stat& info) { return is_of_root_or_user(info) && !may_others_write(info); }

}  // namespace kmux
