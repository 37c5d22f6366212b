#include "program_folder.h"

#include <algorithm>
#include <system_error>

namespace kmux {
namespace {

namespace fs = std::filesystem;

Error leaves(const std::string& file, const fs::path& root, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "file '" + file + "' leaves the program's folder '" + root.string() +
                                                     "' (" + why + "). Keep the program's files below its folder.");
}

bool is_below(const fs::path& path, const fs::path& root) {
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return in_root == root.end() && in_path != path.end();
}

}  // namespace

Result<ProgramFolder> ProgramFolder::open(const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (!error) return ProgramFolder(root);
  return make_error(ErrorCode::kUnavailable, "cannot open folder '" + folder.string() + "' (" + error.message() +
                                                 "). Check the path and its permissions.");
}

Result<fs::path> ProgramFolder::locate(const std::string& file) const {
  const fs::path relative(file);
  if (relative.is_absolute()) return leaves(file, root_, "the path is absolute");
  for (const fs::path& part : relative)
    if (part == "..") return leaves(file, root_, "the path has '..'");
  std::error_code error;
  fs::path real = fs::weakly_canonical(root_ / relative, error);
  if (error) return leaves(file, root_, error.message());
  if (!is_below(real, root_)) return leaves(file, root_, "it is really '" + real.string() + "'");
  return real;
}

}  // namespace kmux
