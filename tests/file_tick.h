#pragma once

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "kmux/plugin/file_identity.h"

namespace kmux {

/// Returns a time after all files written so far. Since Linux 6.13, file times may be finer and later than the clock of
/// ticks: that clock has to pass the current time of day.
inline FileTime next_file_tick() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  while (file_time_now() <= std::chrono::nanoseconds(now).count()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return file_time_now();
}

/// Returns the result of `look`, repeated until the clock of ticks does not move during the call.
template <class Look>
auto within_a_file_tick(const Look& look) {
  for (;;) {
    const FileTime before = file_time_now();
    auto seen = look();
    if (file_time_now() == before) return seen;
  }
}

/// Sets the modification time of `path` to that of `other`.
inline void copy_mtime(const std::filesystem::path& other, const std::filesystem::path& path) {
  struct stat info{};
  ::stat(other.c_str(), &info);
  const timespec times[] = {info.st_atim, info.st_mtim};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace kmux
