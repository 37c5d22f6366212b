#include "output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;

Error cannot_write(ErrorCode code, const std::string& option, const std::string& path, const std::string& why) {
  return make_error(code, option + " cannot write \"" + path + "\" (" + why +
                              "). Name a file in a folder that exists and may be written to.");
}

}  // namespace

Status check_output_file(const std::string& option, const std::string& path) {
  const fs::path file = path;
  std::error_code missing;
  if (!file.has_filename() || fs::is_directory(file, missing)) {
    return cannot_write(ErrorCode::kInvalidArgument, option, path, "it is no file name");
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const bool is_folder = fs::is_directory(folder, missing);
  errno = missing ? missing.value() : ENOTDIR;
  if (is_folder && ::access(folder.c_str(), W_OK | X_OK) == 0) return Ok{};
  return cannot_write(ErrorCode::kUnavailable, option, path, std::strerror(errno));
}

}  // namespace kmux::cli
