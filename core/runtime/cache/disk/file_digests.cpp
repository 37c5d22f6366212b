#include "file_digests.h"

#include <pthread.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

namespace kmux {

FileDigests& FileDigests::of_process() {
  static FileDigests& digests = *new FileDigests;  // outlives threads that publish late
  // So that no child has the mutex locked by a thread that it has not.
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
  // A change within this tick of the clock could leave the identity as it is.
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
