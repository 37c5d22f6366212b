#include "dependency_state.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <limits>
#include <map>
#include <sys/stat.h>

#include "kmux/file_io.h"
#include "kmux/sha256.h"

#include "cache_folder.h"
#include "file_digests.h"

namespace kmux {
namespace {

using File = DependencyState::File;
using Folder = DependencyState::Folder;

Error unsure(const std::string& path, const std::string& why) {
  return make_error(ErrorCode::kUnavailable, "what the build read is not known ('" + path + "' " + why + ").");
}

/// A folder of that name is passed over by a compiler that looks for a file.
bool is_there(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

FileTime ctime_of_folder(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? to_file_time(info.st_ctim) : Folder::kNotThere;
}

/// The state of a file that has not changed since `began`.
Result<struct stat> settled_state(const std::string& path, FileTime began) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return unsure(path, "is gone");
  if (std::max(to_file_time(info.st_mtim), to_file_time(info.st_ctim)) < began) return info;
  return unsure(path, "changed meanwhile");
}

Result<File> read_and_hash(const std::string& path, FileTime began) {
  const Result<std::string> content = read_file(path);
  if (!content) return unsure(path, "cannot be read any more");
  File file{path, content->size(), 0, sha256_hex(*content)};
  // After reading: a change since `began`, during the reading as well, shows in the times.
  KMUX_ASSIGN(const struct stat info, settled_state(path, began));
  file.mtime_ns = to_file_time(info.st_mtim);
  FileDigests::of_process().keep(path, info, file.sha256);
  return file;
}

Result<File> capture_file(const std::string& path, FileTime began) {
  if (path.find('\n') != std::string::npos) return unsure(path, "has a line end in its name");
  KMUX_ASSIGN(const struct stat info, settled_state(path, began));
  const std::optional<std::string> known = FileDigests::of_process().find(path, info);
  if (!known) return read_and_hash(path, began);
  return File{path, static_cast<std::uint64_t>(info.st_size), to_file_time(info.st_mtim), *known};
}

std::string folder_of(const std::string& path) { return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)); }

Result<std::vector<Folder>> capture_folders(const std::vector<std::string>& absent) {
  std::map<std::string, Folder> folders;
  for (const std::string& path : absent) {
    if (path.find('\n') != std::string::npos) return unsure(path, "has a line end in its name");
    const FileTime now = file_time_now();
    Folder& folder = folders[folder_of(path)];
    if (folder.absent.empty()) {
      folder.path = folder_of(path);
      folder.ctime_ns = ctime_of_folder(folder.path);
      if (folder.ctime_ns >= now) folder.ctime_ns = Folder::kUnsettled;
    }
    // After the folder's time was taken, so that what is added from now on changes it.
    if (is_there(path)) return unsure(path, "was added meanwhile");
    folder.absent.push_back(path);
  }
  std::vector<Folder> list;
  list.reserve(folders.size());
  for (auto& [path, folder] : folders) list.push_back(std::move(folder));
  return list;
}

constexpr FileTime kNoTime = std::numeric_limits<FileTime>::min();  // no file has it

bool is_unchanged(const File& file) {
  struct stat info{};
  if (::stat(file.path.c_str(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) != file.size) return false;
  if (to_file_time(info.st_mtim) == file.mtime_ns) return true;
  const Result<std::string> content = read_file(file.path);
  return content.ok() && sha256_hex(*content) == file.sha256;
}

/// The candidate that is there now, or null.
const std::string* find_added(const Folder& folder) {
  const FileTime ctime_ns = ctime_of_folder(folder.path);
  if (ctime_ns == Folder::kNotThere) return nullptr;
  if (ctime_ns == folder.ctime_ns && folder.ctime_ns != Folder::kUnsettled) return nullptr;
  const auto found = std::find_if(folder.absent.begin(), folder.absent.end(), is_there);
  return found == folder.absent.end() ? nullptr : &*found;
}

/// Takes the text before `end` off the front of `text`.
std::string_view take(std::string_view& text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

template <class Integer>
bool read_integer(std::string_view text, Integer& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read_line(std::string_view line, DependencyState& state) {
  const std::string_view word = take(line, ' ');
  if (word == "file") {
    File& file = state.files.emplace_back();
    file.sha256 = take(line, ' ');
    const bool good = read_integer(take(line, ' '), file.size) && read_integer(take(line, ' '), file.mtime_ns);
    file.path = line;
    return good && is_digest(file.sha256) && line.starts_with('/');
  }
  if (word == "folder") {
    Folder& folder = state.folders.emplace_back();
    const bool good = read_integer(take(line, ' '), folder.ctime_ns);
    folder.path = line;
    return good && line.starts_with('/');
  }
  if (word != "absent" || state.folders.empty()) return false;
  state.folders.back().absent.emplace_back(line);
  return line.starts_with('/');
}

}  // namespace

FileTime to_file_time(const timespec& time) { return time.tv_sec * FileTime{1'000'000'000} + time.tv_nsec; }

FileTime file_time_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return to_file_time(now);
}

Result<DependencyState> capture(const Dependencies& dependencies, FileTime began) {
  if (!dependencies.complete) {
    return make_error(ErrorCode::kUnavailable,
                      "which files the build read cannot be told (an #include of a name that is computed).");
  }
  DependencyState state;
  for (const std::string& path : dependencies.files) {
    KMUX_ASSIGN(File file, capture_file(path, began));
    state.files.push_back(std::move(file));
  }
  KMUX_ASSIGN(state.folders, capture_folders(dependencies.absent));
  return state;
}

std::optional<std::string> find_change(const DependencyState& state) {
  for (const File& file : state.files) {
    if (!is_unchanged(file)) return "'" + file.path + "' changed";
  }
  for (const Folder& folder : state.folders) {
    if (const std::string* added = find_added(folder)) return "'" + *added + "' was added";
  }
  return std::nullopt;
}

DependencyState without_times(DependencyState state) {
  for (File& file : state.files) file.mtime_ns = kNoTime;
  for (Folder& folder : state.folders) folder.ctime_ns = Folder::kUnsettled;
  return state;
}

std::string second_digest(std::string_view key, const DependencyState& state) {
  std::string text(key);
  text += '\n';
  for (const File& file : state.files) text += "file " + file.sha256 + " " + file.path + "\n";
  for (const Folder& folder : state.folders) {
    for (const std::string& path : folder.absent) text += "absent " + path + "\n";
  }
  return sha256_hex(text);
}

std::string to_text(const DependencyState& state) {
  std::string text;
  for (const File& file : state.files) {
    text += "file " + file.sha256 + " " + std::to_string(file.size) + " " + std::to_string(file.mtime_ns) + " " +
            file.path + "\n";
  }
  for (const Folder& folder : state.folders) {
    text += "folder " + std::to_string(folder.ctime_ns) + " " + folder.path + "\n";
    for (const std::string& path : folder.absent) text += "absent " + path + "\n";
  }
  return text;
}

Result<DependencyState> dependency_state_from_text(std::string_view text) {
  DependencyState state;
  for (int number = 1; !text.empty(); ++number) {
    if (!read_line(take(text, '\n'), state)) {
      return make_error(ErrorCode::kInvalidArgument,
                        "line " + std::to_string(number) + " of the dependencies is malformed.");
    }
  }
  return state;
}

}  // namespace kmux
