#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmux/plugin/plugin.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::cutedsl {

/// The content of a file of device code.
///
/// Errors: unavailable that names the file, and says whether it is missing, unreadable or empty.
class CubinFile {
 public:
  CubinFile() = default;
  CubinFile(const CubinFile&) = delete;
  CubinFile& operator=(const CubinFile&) = delete;
  ~CubinFile() { free(bytes_); }

  int read(const char* path, kmux_sink error) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) {
      return nvidia::fail(error, KMUX_UNAVAILABLE, "the cubin \"%s\" does not exist. Build it, or correct the path.",
                          path);
    }
    if (file < 0) return fail_read(path, errno, error);
    const int code = read_all(file, path, error);
    close(file);
    return code;
  }

  const unsigned char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  static int fail_read(const char* path, int number, kmux_sink error) {
    return nvidia::fail(error, KMUX_UNAVAILABLE, "the cubin \"%s\" cannot be read (%s). Correct it.", path,
                        strerror(number));
  }

  int read_all(int file, const char* path, kmux_sink error) {
    struct stat facts;
    if (fstat(file, &facts) != 0) return fail_read(path, errno, error);
    if (S_ISDIR(facts.st_mode)) return fail_read(path, EISDIR, error);
    const size_t size = static_cast<size_t>(facts.st_size);
    if (size == 0) {
      return nvidia::fail(error, KMUX_UNAVAILABLE, "the cubin \"%s\" is empty. Build it again.", path);
    }
    bytes_ = static_cast<unsigned char*>(malloc(size));
    if (bytes_ == nullptr) return fail_read(path, ENOMEM, error);
    while (size_ < size) {
      const ssize_t count = ::read(file, bytes_ + size_, size - size_);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return fail_read(path, count < 0 ? errno : EIO, error);
      size_ += static_cast<size_t>(count);
    }
    return KMUX_OK;
  }

  unsigned char* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace kmux::cutedsl
