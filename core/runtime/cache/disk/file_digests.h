#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kmux/plugin/file_identity.h"

namespace kmux {

/// The digests of files that this process has read: many builds depend on the same headers. One counts as long as the
/// file's identity is the same.
///
/// Threads: any.
class FileDigests {
 public:
  static constexpr std::size_t kMost = 4096;  // then it begins anew

  static FileDigests& of_process();

  /// The SHA-256 of the file `path`, whose identity is `now`: read only if that is not known. Nothing if it cannot be read.
  std::optional<std::string> digest(const std::string& path, const FileIdentity& now);

  std::optional<std::string> find(const std::string& path, const FileIdentity& now) const;
  /// `read` is the identity that the file had when it was read, settled.
  void keep(const std::string& path, const FileIdentity& read, const std::string& sha256);

 private:
  struct Digest {
    FileIdentity read;
    std::string sha256;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Digest> digests_;
};

}  // namespace kmux
