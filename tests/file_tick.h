#pragma once

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "kmux/plugin/file_identity.h"

namespace kmux {

/// A moment after everything that was written so far. Since Linux 6.13 files may have times that are finer than the clock
/// of ticks, and later: that clock has to pass what the time of day is now.
inline FileTime next_file_tick() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  while (file_time_now() <= std::chrono::nanoseconds(now).count()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return file_time_now();
}

/// What `look` returns, where the clock of ticks did not move from its first step to its last one.
template <class Look>
auto within_a_file_tick(const Look& look) {
  for (;;) {
    const FileTime before = file_time_now();
    auto seen = look();
    if (file_time_now() == before) return seen;
  }
}

/// Gives `path` the modification time of `other`.
inline void copy_mtime(const std::filesystem::path& other, const std::filesystem::path& path) {
  struct stat info{};
  ::stat(other.c_str(), &info);
  const timespec times[] = {info.st_atim, info.st_mtim};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace kmux
