#include "kmux/plugin/private_folder.h"

#include <filesystem>
#include <stdlib.h>
#include <utility>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/safe_path.h"

namespace kmux {

namespace fs = std::filesystem;

Result<PrivateFolder> PrivateFolder::create(const std::string& name) {
  std::error_code error;
  std::string path = (fs::absolute(fs::temp_directory_path(error), error) / (name + "-XXXXXX")).string();
  if (error || !mkdtemp(path.data())) {
    return make_error(ErrorCode::kUnavailable, "no folder for temporary files can be made (in \"" + path +
                                                   "\"). Free some space or set TMPDIR.");
  }
  PrivateFolder folder(path);
  Status above = check_parents(path);
  if (above) return folder;
  above.error().code = ErrorCode::kUnavailable;
  return std::move(above).error();
}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty()) remove_tree(path_);
}

Status PrivateFolder::write(const std::string& name, std::string_view content) const {
  std::error_code ignored;
  const fs::path file = fs::path(path_) / name;
  fs::create_directories(file.parent_path(), ignored);
  return write_file(file, content);
}

}  // namespace kmux
