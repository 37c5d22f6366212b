#include "kmux/plugin/file_identity.h"

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

#ifdef __APPLE__  // which has POSIX's members by other names
const timespec& modified_at(const struct stat& info) { return info.st_mtimespec; }
const timespec& changed_at(const struct stat& info) { return info.st_ctimespec; }
#else
const timespec& modified_at(const struct stat& info) { return info.st_mtim; }
const timespec& changed_at(const struct stat& info) { return info.st_ctim; }
#endif

}  // namespace

FileTime to_file_time(const timespec& time) { return time.tv_sec * FileTime{1'000'000'000} + time.tv_nsec; }

FileTime file_time_now() { return to_file_time(file_clock()); }

FileIdentity FileIdentity::of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = static_cast<std::uint64_t>(info.st_size),
          .mtime_ns = to_file_time(modified_at(info)),
          .ctime_ns = to_file_time(changed_at(info))};
}

FileIdentity FileIdentity::of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? of(info) : FileIdentity{};
}

Json identify_file(const std::string& path) {
  const FileIdentity file = FileIdentity::of(path);
  if (!file.is_there()) return Json::Object{{"path", path}};
  return Json::Object{{"path", path}, {"size", file.size}, {"mtime_ns", file.mtime_ns}};
}

}  // namespace kmux
