#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "file_descriptor.h"

namespace kmux {

/// An advisory lock between the processes of one machine, held until this object goes or its process ends.
///
/// All locks are bytes of one file, which is never deleted and never grows: a name's digest is the byte's offset. They
/// belong to the open file (OFD locks), so that threads exclude each other as processes do.
class KeyLock {
 public:
  /// Waits for the lock `name` in the file `file`, at most `timeout` (0: does not wait).
  ///
  /// Nothing if it was not to be had: the time is over, or this system or file system has no such locks. Go on without.
  static std::optional<KeyLock> acquire(const std::filesystem::path& file, std::string_view name,
                                        std::chrono::milliseconds timeout);
  KeyLock(KeyLock&& other) noexcept = default;
  KeyLock& operator=(KeyLock&& other) noexcept;
  ~KeyLock();

 private:
  KeyLock(FileDescriptor file, std::int64_t offset) : file_(std::move(file)), offset_(offset) {}
  void release();
  FileDescriptor file_;
  std::int64_t offset_;
};

}  // namespace kmux
