#include "kmux/plugin/file_identity.h"

#include <charconv>

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

#ifdef __APPLE__  // where POSIX's members have other names
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

namespace {

template <class Integer>
bool take_number(std::string_view& text, Integer& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{};
}

}  // namespace

std::string to_text(const FileIdentity& identity) {
  std::string text;
  for (const std::uint64_t number : {identity.device, identity.inode, identity.size}) {
    text += std::to_string(number);
    text += ' ';
  }
  return text + std::to_string(identity.mtime_ns) + ' ' + std::to_string(identity.ctime_ns);
}

std::optional<FileIdentity> take_file_identity(std::string_view& text) {
  FileIdentity identity;
  const auto take = [&text](auto& value, bool is_last = false) {
    if (!take_number(text, value)) return false;
    if (is_last) return true;
    const bool goes_on = text.starts_with(' ');
    text.remove_prefix(goes_on ? 1 : 0);
    return goes_on;
  };
  const bool is_whole = take(identity.device) && take(identity.inode) && take(identity.size) &&
                        take(identity.mtime_ns) && take(identity.ctime_ns, true);
  return is_whole ? std::optional(identity) : std::nullopt;
}

Json identify_file(const std::string& path) {
  const FileIdentity file = FileIdentity::of(path);
  if (!file.is_there()) return Json::Object{{"path", path}};
  return Json::Object{{"path", path}, {"size", file.size}, {"mtime_ns", file.mtime_ns}};
}

}  // namespace kmux
