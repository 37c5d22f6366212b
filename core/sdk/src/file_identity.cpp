#include "kmux/file_identity.h"

#include <sys/stat.h>

namespace kmux {

Json identify_file(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return Json::Object{{"path", path}};
  const std::int64_t time_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return Json::Object{{"path", path}, {"size", std::int64_t{info.st_size}}, {"mtime_ns", time_ns}};
}

}  // namespace kmux
