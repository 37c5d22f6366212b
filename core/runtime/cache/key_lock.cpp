#include "key_lock.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <thread>
#include <utility>

#include "kmux/sha256.h"

#include "fault_point.h"

namespace kmux {
namespace {

constexpr auto kFirstPause = std::chrono::microseconds(500);
constexpr auto kLongestPause = std::chrono::microseconds(10'000);

std::int64_t offset_of(std::string_view name) {
  return static_cast<std::int64_t>(std::stoull(sha256_hex(name).substr(0, 15), nullptr, 16));  // 60 bits
}

/// 0 or errno.
int set_lock(const FileDescriptor& file, std::int64_t offset, short type) {
  if (const int error = fault_point("lock"); error != 0) return error;
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  return ::fcntl(file.get(), F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

}  // namespace

std::optional<KeyLock> KeyLock::acquire(const std::filesystem::path& file, std::string_view name,
                                        std::chrono::milliseconds timeout) {
  FileDescriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!opened.ok()) return std::nullopt;
  const std::int64_t offset = offset_of(name);
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const int error = set_lock(opened, offset, F_WRLCK);
    if (error == 0) return KeyLock(std::move(opened), offset);
    const bool taken = error == EAGAIN || error == EACCES || error == EINTR;
    if (!taken || std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

KeyLock& KeyLock::operator=(KeyLock&& other) noexcept {
  release();
  file_ = std::move(other.file_);
  offset_ = other.offset_;
  return *this;
}

KeyLock::~KeyLock() { release(); }

/// Unlocks before closing: a child that was forked meanwhile has the same open file and would keep the lock.
void KeyLock::release() {
  if (file_.ok()) set_lock(std::exchange(file_, FileDescriptor()), offset_, F_UNLCK);
}

}  // namespace kmux
