#include "trust.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/plugin/safe_path.h"

namespace kmux {
namespace {

Error refuse(const std::filesystem::path& path, const std::string& why, const std::string& advice) {
  return make_error(ErrorCode::kUnavailable, "\"" + path.string() + "\" is refused (" + why + "). " + advice);
}

Result<struct stat> owned(const std::filesystem::path& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return refuse(path, std::strerror(errno), "Check the path.");
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return refuse(path, "it belongs to user " + std::to_string(info.st_uid),
                  "Use a copy that belongs to you or to root.");
  }
  if ((info.st_mode & S_IWOTH) != 0) return refuse(path, "it is writable by everyone", "Run `chmod o-w` on it.");
  return info;
}

bool may_write(gid_t group, const std::filesystem::path& folder) {
  struct stat info{};
  return stat(folder.c_str(), &info) == 0 && info.st_gid == group && (info.st_mode & S_IWGRP) != 0;
}

std::filesystem::path find_own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::filesystem::path library = info.dli_fname;
  if (library.is_relative()) return {};
  std::error_code error;
  return std::filesystem::canonical(library, error).parent_path();
}

}  // namespace

Status check_owner(const std::filesystem::path& path) {
  KMUX_TRY(owned(path));
  return Ok{};
}

Status check_trusted(const std::filesystem::path& path, const std::filesystem::path& library_folder) {
  KMUX_ASSIGN(const struct stat info, owned(path));
  // With umask 002, everything that a user installs is group-writable, including this library.
  if ((info.st_mode & S_IWGRP) == 0 || may_write(info.st_gid, library_folder)) return Ok{};
  return refuse(path, "it is writable by its group, " + std::to_string(info.st_gid), "Run `chmod g-w` on it.");
}

Status check_trusted_place(const std::filesystem::path& path, const std::filesystem::path& library_folder) {
  KMUX_TRY(check_trusted(path, library_folder));
  Status above = check_parents(path, [&](gid_t group) { return may_write(group, library_folder); });
  if (!above) above.error().code = ErrorCode::kUnavailable;
  return above;
}

const std::filesystem::path& own_folder() {
  // Computed once, as every file check needs it. Never destroyed, as it is used during process exit.
  static const auto& folder = *new std::filesystem::path(find_own_folder());
  return folder;
}

}  // namespace kmux
