#include "trust.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace kmux {

Status check_trusted(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    return make_error(ErrorCode::kUnavailable, "\"" + path.string() + "\" is refused (" + why + "). " + advice);
  };
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return refuse(std::strerror(errno), "Check the path.");
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return refuse("it belongs to user " + std::to_string(info.st_uid), "Use a copy that belongs to you or to root.");
  }
  if ((info.st_mode & S_IWOTH) != 0) return refuse("it is writable by everyone", "Run `chmod o-w` on it.");
  return Ok{};
}

}  // namespace kmux
