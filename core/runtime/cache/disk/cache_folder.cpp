#include "cache_folder.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/safe_path.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLayout = "v1";
constexpr std::size_t kShardDigits = 2;

Error refused(const fs::path& path, const std::string& why, const std::string& advice) {
  return make_error(ErrorCode::kInvalidArgument, "folder '" + path.string() + "' is refused (" + why + "). " + advice);
}

Error missing(const fs::path& path, int error) {
  return make_error(ErrorCode::kUnavailable, "folder '" + path.string() + "' cannot be used (" + errno_text(error) +
                                                 "). Name one that is there or can be made.");
}

/// Creates the folder and missing ones above it. Returns 0 or errno; an existing folder is not an error.
int make_folder(const fs::path& path) {
  std::error_code ignored;  // mkdir reports the reason
  fs::create_directories(path.parent_path(), ignored);
  return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

bool is_own_group(gid_t group) {
  if (group == ::getegid()) return true;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  return std::ranges::find(groups, group) != groups.end();
}

Status check_group(const fs::path& path, const struct stat& info) {
  if ((info.st_mode & S_IWOTH) != 0) return refused(path, "everyone may write to it", "Run `chmod o-w` on it.");
  if ((info.st_mode & S_ISGID) == 0) {
    return refused(path, "what is made in it would not be its group's", "Run `chmod g+s` on it.");
  }
  if (is_own_group(info.st_gid)) return Ok{};
  return refused(path, "this process is not in its group " + std::to_string(info.st_gid), "Name another folder.");
}

Status check_private(const fs::path& path, const FileDescriptor& folder, bool may_be_roots,
                     CacheFolder::Sharing sharing = CacheFolder::Sharing::kUser) {
  struct stat info{};
  if (!folder.ok() || ::fstat(folder.get(), &info) != 0) {
    const int error = errno;
    std::error_code unknown;
    if (!fs::is_symlink(fs::symlink_status(path, unknown))) return missing(path, error);
    return refused(path, "it is a symbolic link", "Name the folder itself.");
  }
  if (sharing == CacheFolder::Sharing::kGroup && (info.st_mode & S_IWGRP) != 0) return check_group(path, info);
  if (info.st_uid != ::geteuid() && !(may_be_roots && info.st_uid == 0)) {
    return refused(path, "it belongs to user " + std::to_string(info.st_uid), "Name a folder of your own.");
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(path, "others may write to it", "Run `chmod go-w` on it.");
  }
  return Ok{};
}

std::vector<std::string> names_in(const fs::path& path, std::size_t length) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return names;
  while (const dirent* item = ::readdir(folder.get())) {
    const std::string_view name = item->d_name;
    if (name.size() == length && name.find('.') == std::string_view::npos) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status make_private_folder(const fs::path& path) {
  if (const int error = make_folder(path); error != 0) return missing(path, error);
  return check_private(path, FileDescriptor::open_folder(path), false);
}

Result<CacheFolder> CacheFolder::open(const fs::path& path, Access wanted, Sharing sharing) {
  if (wanted == Access::kReadWrite) {
    if (const int error = make_folder(path); error != 0 && !is_there(path)) {
      return missing(path, error);
    }
  }
  FileDescriptor folder = FileDescriptor::open_folder(path);
  const bool can_write =
      wanted == Access::kReadWrite && folder.ok() && ::faccessat(folder.get(), ".", W_OK | X_OK, AT_EACCESS) == 0;
  KMUX_TRY(check_private(path, folder, !can_write, sharing));
  const bool is_shared = sharing == Sharing::kGroup && is_of_group(folder.get());
  KMUX_TRY(check_parents(path, is_shared ? is_own_group : nullptr));
  return CacheFolder(absolute_path(path), can_write ? Access::kReadWrite : Access::kReadOnly,
                     std::make_shared<const CheckedFolder>(std::move(folder), is_shared));
}

FileDescriptor EntryLocation::open() const {
  if (cache == nullptr) return FileDescriptor::open_folder(folder);
  return FileDescriptor::open_folder_at(cache->folder, fs::path(kLayout) / key.substr(0, kShardDigits) / key / second);
}

bool EntryLocation::trusts(const struct stat& info) const {
  if (is_private_to_user(info)) return true;
  return cache != nullptr && cache->is_of_group && (info.st_mode & S_IWOTH) == 0 && is_own_group(info.st_gid);
}

fs::path CacheFolder::key_folder(const std::string& key) const {
  return path_ / kLayout / key.substr(0, kShardDigits) / key;
}

EntryLocation CacheFolder::entry(const std::string& key, const std::string& second) const {
  return {key_folder(key) / second, key, second, checked_};
}

std::vector<EntryLocation> CacheFolder::entries_of(const std::string& key) const {
  std::vector<EntryLocation> entries;
  const fs::path folder = key_folder(key);
  for (const std::string& second : names_in(folder, key.size())) {
    if (is_digest(second)) entries.push_back({folder / second, key, second, checked_});
  }
  return entries;
}

std::vector<EntryLocation> CacheFolder::entries() const {
  std::vector<EntryLocation> all;
  for (const std::string& shard : names_in(path_ / kLayout, kShardDigits)) {
    for (const std::string& key : names_in(path_ / kLayout / shard, 64)) {
      if (!is_digest(key) || !key.starts_with(shard)) continue;
      std::vector<EntryLocation> of_key = entries_of(key);
      std::move(of_key.begin(), of_key.end(), std::back_inserter(all));
    }
  }
  return all;
}

}  // namespace kmux
