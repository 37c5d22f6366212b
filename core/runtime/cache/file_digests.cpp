#include "file_digests.h"

namespace kmux {
namespace {

bool is_same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

// The time of the last change of the inode is the one that nobody can set back.
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && is_same(a.st_mtim, b.st_mtim) &&
         is_same(a.st_ctim, b.st_ctim);
}

}  // namespace

FileDigests& FileDigests::of_process() {
  static FileDigests& digests = *new FileDigests;  // outlives threads that publish late
  return digests;
}

std::optional<std::string> FileDigests::find(const std::string& path, const struct stat& now) const {
  const std::lock_guard lock(mutex_);
  const auto found = digests_.find(path);
  if (found == digests_.end() || !is_same(found->second.read, now)) return std::nullopt;
  return found->second.sha256;
}

void FileDigests::keep(const std::string& path, const struct stat& read, const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  if (digests_.size() >= kMost) digests_.clear();
  digests_.insert_or_assign(path, Digest{read, sha256});
}

}  // namespace kmux
