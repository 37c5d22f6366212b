#include "file_descriptor.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/signal_blocked.h"

namespace kmux {
namespace {

/// Writes all of `bytes`. Returns 0 or errno.
int write_all(int fd, std::string_view bytes) {
  const SignalBlocked blocked(SIGXFSZ);
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Fills `bytes` from the file and returns true on success. Shortens it if the file has shrunk.
bool read_all(int fd, std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) {
      bytes.resize(done);
      return true;
    }
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

FileDescriptor FileDescriptor::open_folder(const std::filesystem::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

FileDescriptor FileDescriptor::open_folder_at(const FileDescriptor& above, const std::filesystem::path& path) {
  return FileDescriptor(::openat(above.get(), path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_of_group(int folder) {
  constexpr mode_t kGroups = S_ISGID | S_IWGRP;
  struct stat info{};
  return ::fstat(folder, &info) == 0 && (info.st_mode & kGroups) == kGroups;
}

bool FileDescriptor::is_at(const std::filesystem::path& path) const {
  struct stat named{};
  struct stat open{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(get(), &open) == 0 && named.st_ino == open.st_ino &&
         named.st_dev == open.st_dev;
}

std::optional<FileContent> read_file_at(const FileDescriptor& folder, const char* name, std::uint64_t max_bytes) {
  const FileDescriptor file(::openat(folder.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info{};
  if (!file.ok() || ::fstat(file.get(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) > max_bytes) {
    errno = S_ISREG(info.st_mode) ? EFBIG : EINVAL;
    return std::nullopt;
  }
  FileContent content{std::string(static_cast<std::size_t>(info.st_size), '\0'), FileIdentity::of(info).mtime_ns, info};
  if (!read_all(file.get(), content.bytes)) return std::nullopt;
  return content;
}

int make_folder_as_above(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return errno;
  const FileDescriptor above = FileDescriptor::open_folder(path.parent_path());
  if (!above.ok() || !is_of_group(above.get())) return 0;
  const FileDescriptor made = FileDescriptor::open_folder(path);
  return made.ok() && ::fchmod(made.get(), S_ISGID | 0770) == 0 ? 0 : errno;  // regardless of the umask
}

int write_file_at(const FileDescriptor& folder, const char* name, std::string_view bytes) {
  const FileDescriptor file(::openat(folder.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.ok()) return errno;
  if (is_of_group(folder.get()) && ::fchmod(file.get(), 0660) != 0) return errno;
  if (const int error = write_all(file.get(), bytes); error != 0) return error;
  return ::fsync(file.get()) == 0 ? 0 : errno;
}

std::string errno_text(int error) { return std::generic_category().message(error); }

namespace {

std::atomic<FaultHandler> handler_of_all{nullptr};

}  // namespace

void set_fault_handler(FaultHandler handler) { handler_of_all.store(handler); }

int fault_point(std::string_view step) {
  const FaultHandler handler = handler_of_all.load(std::memory_order_relaxed);
  return handler == nullptr ? 0 : handler(step);
}

}  // namespace kmux
