#include "kmux/plugin/file_io.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "kmux/plugin/descriptor.h"
#include "kmux/plugin/signal_blocked.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

Error file_error(const fs::path& path, const std::string& what, const std::string& why, const std::string& advice) {
  return make_error(ErrorCode::kUnavailable, "cannot " + what + " '" + path.string() + "' (" + why + "). " + advice);
}

Error read_error(const fs::path& path, const std::string& why) {
  return file_error(path, "read", why, "Check the path and its permissions.");
}

Error write_error(const fs::path& path, const std::string& why) {
  return file_error(path, "write", why, "Check the folder and its permissions.");
}

Error write_error(const fs::path& path, int error) {
  if (error != EFBIG) return write_error(path, reason(error));
  return file_error(path, "write", reason(error), "Raise the limit of this process (ulimit -f).");
}

/// Returns 0 or errno.
int write_all(int fd, std::string_view content) {
  const SignalBlocked blocked(SIGXFSZ);
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Returns the number of bytes read before the end of the file, or -1 with errno.
ssize_t read_all(int fd, char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

/// Reads an open file of unknown size (procfs reports 0) up to `max_bytes`; of a larger file one byte more.
/// Errors: errno, with an empty result.
std::optional<std::string> read_to_end(int fd, std::uint64_t max_bytes) {
  constexpr std::uint64_t kStep = 4096;
  std::string content;
  for (std::uint64_t done = 0;;) {
    content.resize(done + std::min(kStep, max_bytes - done) + 1);
    const ssize_t got = read_all(fd, content.data() + done, content.size() - done);
    if (got < 0) return std::nullopt;
    done += static_cast<std::uint64_t>(got);
    if (done < content.size() || done > max_bytes) return content.resize(done), content;
  }
}

Error too_large(const fs::path& path, std::uint64_t size, std::uint64_t max_bytes) {
  return make_error(ErrorCode::kInvalidArgument, "file '" + path.string() + "' is too large (" + std::to_string(size) +
                                                     " bytes, at most " + std::to_string(max_bytes) +
                                                     "). Make it smaller.");
}

/// Returns a name that no other thread or process uses.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  const std::string suffix = "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".tmp";
  return path.parent_path() / ("." + path.filename().string() + suffix);
}

/// The file to write: the target of links, with the owner and permissions of an existing file.
struct Target {
  fs::path path;
  struct stat status = {};
  bool is_there = false;
};

/// Returns the file that a link names, whether or not it exists. Links that name each other end at some of them.
fs::path end_of_links(fs::path path) {
  constexpr int kMaxLinks = 40;  // as Linux has it
  std::error_code none;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(path, none)); ++i)
    path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

Target target_of(const fs::path& path) {
  std::error_code missing;
  const fs::path real = fs::canonical(path, missing);
  Target target{missing ? end_of_links(path) : real};
  target.is_there = ::stat(target.path.c_str(), &target.status) == 0;
  return target;
}

/// Copies the permissions of the old file, and its owner if this process may change it.
int take_over(int file, const struct stat& old) {
  const bool is_ours = ::geteuid() == old.st_uid && ::getegid() == old.st_gid;
  if (!is_ours && ::fchown(file, old.st_uid, old.st_gid) != 0 && errno != EPERM) return errno;
  return ::fchmod(file, old.st_mode & 07777) == 0 ? 0 : errno;
}

/// Returns 0 or errno. The temporary file is removed unless it replaced the target.
int replace(const Target& target, std::string_view content) {
  const fs::path temporary = temporary_name(target.path);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return errno;
  int error = target.is_there ? take_over(file.get(), target.status) : 0;
  if (error == 0) error = write_all(file.get(), content);
  if (const int closed = file.close(); error == 0) error = closed;
  if (error == 0 && ::rename(temporary.c_str(), target.path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  return error;
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::uint64_t max_bytes) {
  // Non-blocking, so that opening a named pipe does not hang before it is rejected.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return read_error(path, reason(errno));
  if (S_ISDIR(status.st_mode)) return read_error(path, reason(EISDIR));
  if (!S_ISREG(status.st_mode)) return read_error(path, "not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_bytes) return too_large(path, size, max_bytes);
  if (size == 0) {
    std::optional<std::string> content = read_to_end(file.get(), max_bytes);
    if (!content) return read_error(path, reason(errno));
    if (content->size() > max_bytes) return too_large(path, content->size(), max_bytes);
    return *std::move(content);
  }
  std::string content(size, '\0');
  const ssize_t got = read_all(file.get(), content.data(), content.size());
  if (got < 0) return read_error(path, reason(errno));
  content.resize(static_cast<std::size_t>(got));
  return content;
}

Status write_file(const fs::path& path, std::string_view content) {
  if (!path.has_filename()) return write_error(path, reason(EISDIR));
  const Target target = target_of(path);
  if (target.is_there && !S_ISREG(target.status.st_mode)) {
    const bool is_folder = S_ISDIR(target.status.st_mode);
    return write_error(path, is_folder ? reason(EISDIR) : "it is not a regular file");
  }
  if (const int error = replace(target, content); error != 0) return write_error(path, error);
  return Ok{};
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code gone;  // the working directory
  const std::filesystem::path absolute = std::filesystem::absolute(path, gone);
  return (gone ? path : absolute).lexically_normal();
}

bool is_there(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

// libstdc++'s directory_iterator terminates the process when out of memory: it is noexcept, and allocates.
std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  while (const dirent* const entry = open ? ::readdir(open.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") found.push_back(folder / name);
  }
  std::ranges::sort(found);
  return found;
}

// The overload with an error code allocates, and throws if it cannot.
void remove_tree(const std::filesystem::path& path) noexcept {
  std::error_code ignored;
  try {
    std::filesystem::remove_all(path, ignored);
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace kmux
