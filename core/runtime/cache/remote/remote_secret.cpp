#include "remote_secret.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/disk/file_descriptor.h"

namespace kmux {
namespace {

constexpr std::size_t kFewestBytes = 16;
constexpr std::size_t kMostBytes = 4096;

/// Why the file is no place for a secret, or "".
std::string why_refused(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return "it is no regular file). Name a file";
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) {
    return "it belongs to user " + std::to_string(info.st_uid) + "). Use a copy of your own";
  }
  // Root decides who is in the group of its file; that is how secrets are handed to containers.
  const mode_t forbidden = info.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
  if ((info.st_mode & forbidden) != 0) return "others may read or change it). Run `chmod 600` on it";
  return "";
}

}  // namespace

Result<std::string> read_remote_secret(const std::filesystem::path& file) {
  const auto refused = [&](ErrorCode code, const std::string& why_and_advice) {
    return make_error(code, "the key of the remote cache '" + file.string() + "' is refused (" + why_and_advice + ".");
  };
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (!opened.ok() || ::fstat(opened.get(), &info) != 0) {
    return refused(ErrorCode::kUnavailable, errno_text(errno) + "). Check the path");
  }
  if (const std::string why = why_refused(info); !why.empty()) return refused(ErrorCode::kInvalidArgument, why);
  std::array<char, kMostBytes + 1> bytes{};
  const ssize_t size = ::read(opened.get(), bytes.data(), bytes.size());
  if (size < 0) return refused(ErrorCode::kUnavailable, errno_text(errno) + "). Check the file");
  const auto count = static_cast<std::size_t>(size);
  if (count < kFewestBytes || count > kMostBytes) {
    return refused(ErrorCode::kInvalidArgument, "it has " + std::string(count > kMostBytes ? "more than " : "") +
                                                    std::to_string(std::min(count, kMostBytes)) +
                                                    " bytes). Make it of 16 to 4096, say with "
                                                    "`head -c 32 /dev/urandom`");
  }
  return std::string(bytes.data(), count);
}

}  // namespace kmux
