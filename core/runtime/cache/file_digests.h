#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace kmux {

/// The digests of files that this process has read: many builds depend on the same headers. One counts as long as the
/// file is the same, of the same size, and was neither written nor replaced since, as its times tell.
///
/// Threads: any.
class FileDigests {
 public:
  static constexpr std::size_t kMost = 4096;  // then it begins anew

  static FileDigests& of_process();

  std::optional<std::string> find(const std::string& path, const struct stat& now) const;
  /// `read` is the state in which the file was read; its times lie in the past.
  void keep(const std::string& path, const struct stat& read, const std::string& sha256);

 private:
  struct Digest {
    struct stat read;
    std::string sha256;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Digest> digests_;
};

}  // namespace kmux
