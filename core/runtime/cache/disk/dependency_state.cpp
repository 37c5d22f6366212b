#include "dependency_state.h"

#include <algorithm>
#include <map>
#include <pthread.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/unique_id.h"

#include "cache_folder.h"

namespace kmux {
namespace {

using File = DependencyState::File;
using Folder = DependencyState::Folder;

Error unsure(const std::string& path, const std::string& why) {
  return make_error(ErrorCode::kUnavailable, "what the build read is not known ('" + path + "' " + why + ").");
}

/// Returns the identity of a file that has not changed since `began`.
Result<FileIdentity> settled_identity(const std::string& path, FileTime began) {
  const FileIdentity now = FileIdentity::of(path);
  if (!now.is_there()) return unsure(path, "is gone");
  if (now.changed_ns() >= began) return unsure(path, "changed meanwhile");
  return now;
}

Result<File> capture_file(const std::string& path, FileTime began, FileContents contents) {
  if (path.find('\n') != std::string::npos) return unsure(path, "has a line end in its name");
  KMUX_ASSIGN(const FileIdentity identity, settled_identity(path, began));
  if (contents == FileContents::kLeft) return File{path, identity, ""};
  std::optional<std::string> digest = FileDigests::of_process().digest(path, identity);
  if (!digest) return unsure(path, "cannot be read any more");
  // Checked after reading: the times show a change since `began`, including one during the read.
  KMUX_ASSIGN(const FileIdentity after, settled_identity(path, began));
  if (after != identity) return unsure(path, "changed meanwhile");
  return File{path, identity, *std::move(digest)};
}

std::string folder_of(const std::string& path) { return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)); }

/// The kind of file that has the name of an absent candidate.
enum class Named { kNothing, kFolder, kBrokenLink, kFile };

bool is_link(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

Named look_for(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) return S_ISDIR(info.st_mode) ? Named::kFolder : Named::kFile;
  return is_link(path) ? Named::kBrokenLink : Named::kNothing;
}

/// Records that a build that began at `began` did not use `path`, which is in `folder`.
Status note_absent(Folder& folder, const std::string& path, FileTime began) {
  const Named named = look_for(path);
  if (named == Named::kFile) return unsure(path, "was added meanwhile");
  // A folder newer than the build may have been missing when the build searched.
  const bool is_folder = named == Named::kFolder;
  if (is_folder && FileIdentity::of(path).changed_ns() >= began) return unsure(path, "was added meanwhile");
  // The target of a link may appear, vanish and change without a change of the folder that contains the link.
  if (named != Named::kNothing && is_link(path)) folder.is_settled = false;
  (is_folder ? folder.passed : folder.absent).push_back(path);
  return Ok{};
}

/// Checks that every folder in place of a file was a folder before the build.
Status check_passed(const Folder& folder, const std::vector<std::string>& seen) {
  for (const std::string& path : folder.passed) {
    if (!std::ranges::binary_search(seen, path)) return unsure(path, "was added meanwhile");
  }
  return Ok{};
}

Result<std::vector<Folder>> capture_folders(const std::vector<std::string>& absent, FileTime began) {
  std::map<std::string, Folder> folders;
  for (const std::string& path : absent) {
    if (path.find('\n') != std::string::npos) return unsure(path, "has a line end in its name");
    const FileTime now = file_time_now();
    const auto [found, is_new] = folders.try_emplace(folder_of(path));
    Folder& folder = found->second;
    if (is_new) {
      folder.path = found->first;
      folder.identity = FileIdentity::of(folder.path);
      folder.is_settled = folder.identity.changed_ns() < now;
    }
    // After the folder's identity was taken, so that files added from now on change it.
    KMUX_TRY(note_absent(folder, path, began));
  }
  std::vector<Folder> list;
  list.reserve(folders.size());
  for (auto& [path, folder] : folders) list.push_back(std::move(folder));
  return list;
}

bool is_unchanged(const File& file, bool is_of_here) {
  const FileIdentity now = FileIdentity::of(file.path);
  if (is_of_here && now == file.identity) return true;
  if (!now.is_there() || now.size != file.identity.size || file.sha256.empty()) return false;
  return FileDigests::of_process().digest(file.path, now) == file.sha256;
}

/// Returns a candidate that exists now, or null.
const std::string* find_added(const Folder& folder, bool is_of_here) {
  const FileIdentity now = FileIdentity::of(folder.path);
  if (!now.is_there() || (is_of_here && folder.is_settled && now == folder.identity)) return nullptr;
  for (const std::string& path : folder.absent) {
    const Named named = look_for(path);
    if (named == Named::kFile || named == Named::kFolder) return &path;
  }
  for (const std::string& path : folder.passed) {
    if (look_for(path) == Named::kFile) return &path;
  }
  return nullptr;
}

/// Removes the text before `end` from the front of `text` and returns it.
std::string_view take(std::string_view& text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

bool read_identity(std::string_view& line, FileIdentity& identity) {
  const std::optional<FileIdentity> read = take_file_identity(line);
  if (!read || !line.starts_with(' ')) return false;
  line.remove_prefix(1);
  identity = *read;
  return true;
}

/// Returns true if `path` is absolute, or "INDEX/rest" (include_folders.h).
bool is_stored_path(std::string_view path) {
  const std::size_t digits = std::min(path.find_first_not_of("0123456789"), path.size());
  return path.substr(digits).starts_with('/');
}

std::string identity_text(const FileIdentity& identity) { return kmux::to_text(identity) + " "; }

// The first words of lines.
constexpr std::string_view kMachine = "machine", kFile = "file", kSettled = "folder", kUnsettled = "unsettled",
                           kAbsent = "absent", kPassed = "passed";

bool read_line(std::string_view line, DependencyState& state) {
  const std::string_view word = take(line, ' ');
  if (word == kMachine) return state.machine = line, state.empty();
  if (word == kFile) {
    File& file = state.files.emplace_back();
    file.sha256 = take(line, ' ');
    const bool good = read_identity(line, file.identity);
    file.path = line;
    return good && is_digest(file.sha256) && is_stored_path(line);
  }
  if (word == kSettled || word == kUnsettled) {
    Folder& folder = state.folders.emplace_back();
    const bool good = read_identity(line, folder.identity);
    folder.is_settled = word == kSettled;
    folder.path = line;
    return good && is_stored_path(line);
  }
  if ((word != kAbsent && word != kPassed) || state.folders.empty()) return false;
  (word == kAbsent ? state.folders.back().absent : state.folders.back().passed).emplace_back(line);
  return is_stored_path(line);
}

std::string line_of(std::string_view word, std::string_view rest) {
  return std::string(word).append(" ").append(rest).append("\n");
}

}  // namespace

Result<DependencyState> capture(const Dependencies& dependencies, FileTime began, FileContents contents) {
  if (!dependencies.complete) {
    return make_error(ErrorCode::kUnavailable,
                      "which files the build read is unknown (for example an #include of a computed name, or a file "
                      "that an assembler reads). Write out the names of headers.");
  }
  DependencyState state;
  state.files.reserve(dependencies.files.size());
  const auto& seen = dependencies.seen;
  for (std::size_t i = 0; i < dependencies.files.size(); ++i) {
    const std::string& path = dependencies.files[i];
    KMUX_ASSIGN(File file, capture_file(path, began, contents));
    if (seen && file.identity != seen->files[i]) return unsure(path, "changed meanwhile");
    state.files.push_back(std::move(file));
  }
  KMUX_ASSIGN(state.folders, capture_folders(dependencies.absent, began));
  for (const Folder& folder : state.folders) {
    if (seen) KMUX_TRY(check_passed(folder, seen->passed));
  }
  if (!state.empty()) state.machine = boot_mark();  // only if needed: it is read from a file
  return state;
}

void hash_contents(DependencyState& state) {
  for (File& file : state.files) {
    const std::optional<std::string> digest = FileDigests::of_process().digest(file.path, file.identity);
    // The identity is settled, so a file with this identity now had it during the read.
    if (digest && FileIdentity::of(file.path) == file.identity) file.sha256 = *digest;
  }
}

Dependencies dependencies_in(const DependencyState& state) {
  Dependencies dependencies;
  for (const File& file : state.files) dependencies.files.push_back(file.path);
  for (const Folder& folder : state.folders) {
    dependencies.absent.insert(dependencies.absent.end(), folder.absent.begin(), folder.absent.end());
    dependencies.absent.insert(dependencies.absent.end(), folder.passed.begin(), folder.passed.end());
  }
  std::ranges::sort(dependencies.files);
  std::ranges::sort(dependencies.absent);
  return dependencies;
}

std::optional<std::string> find_change(const DependencyState& state) {
  const bool is_of_here = !state.machine.empty() && state.machine == boot_mark();
  for (const File& file : state.files) {
    if (!is_unchanged(file, is_of_here)) return "'" + file.path + "' changed";
  }
  for (const Folder& folder : state.folders) {
    if (const std::string* added = find_added(folder, is_of_here)) return "'" + *added + "' was added";
  }
  return std::nullopt;
}

DependencyState of_another_machine(DependencyState state) {
  state.machine.clear();
  return state;
}

std::string second_digest(std::string_view key, const DependencyState& state) {
  std::string text(key);
  text += '\n';
  for (const File& file : state.files) text += "file " + file.sha256 + " " + file.path + "\n";
  for (const Folder& folder : state.folders) {
    for (const std::string& path : folder.absent) text += line_of(kAbsent, path);
    for (const std::string& path : folder.passed) text += line_of(kPassed, path);
  }
  return sha256_hex(text);
}

std::string to_text(const DependencyState& state) {
  std::string text = line_of(kMachine, state.machine);
  for (const File& file : state.files) {
    text += line_of(kFile, file.sha256 + " " + identity_text(file.identity) + file.path);
  }
  for (const Folder& folder : state.folders) {
    text += line_of(folder.is_settled ? kSettled : kUnsettled, identity_text(folder.identity) + folder.path);
    for (const std::string& path : folder.absent) text += line_of(kAbsent, path);
    for (const std::string& path : folder.passed) text += line_of(kPassed, path);
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

namespace {

std::string read_mark() {
  if (std::string id = boot_id(); !id.empty()) return id;
  const std::string own = unique_id();  // unique to this process: records of other processes are invalid here
  return own.empty() ? "" : "process " + own;
}

}  // namespace

const std::string& boot_mark() {
  static const std::string& mark = *new std::string(read_mark());  // outlives threads that publish late
  return mark;
}

FileDigests& FileDigests::of_process() {
  static FileDigests& digests = *new FileDigests;  // outlives threads that publish late
  // So that a child never has the mutex locked by a thread of its parent.
  static const int registered =
      ::pthread_atfork([] { digests.mutex_.lock(); }, [] { digests.mutex_.unlock(); }, [] { digests.mutex_.unlock(); });
  static_cast<void>(registered);
  return digests;
}

std::optional<std::string> FileDigests::digest(const std::string& path, const FileIdentity& now) {
  if (std::optional<std::string> known = find(path, now)) return known;
  const FileTime began = file_time_now();
  const Result<std::string> content = read_file(path);
  if (!content) return std::nullopt;
  std::string sha256 = sha256_hex(*content);
  // A change within this clock tick could leave the identity unchanged.
  if (now.changed_ns() < began && FileIdentity::of(path) == now) keep(path, now, sha256);
  return sha256;
}

std::optional<std::string> FileDigests::find(const std::string& path, const FileIdentity& now) const {
  const std::lock_guard lock(mutex_);
  const auto found = digests_.find(path);
  if (found == digests_.end() || found->second.read != now) return std::nullopt;
  return found->second.sha256;
}

void FileDigests::keep(const std::string& path, const FileIdentity& read, const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  if (digests_.size() >= kMost) digests_.clear();
  digests_.insert_or_assign(path, Digest{read, sha256});
}

}  // namespace kmux
