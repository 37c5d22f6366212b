#include "built_in_headers.h"

#include <algorithm>
#include <filesystem>

namespace kmux::hip {
namespace {

constexpr const char* kEmpty = "\n";

std::vector<std::string> folders_of(const BuildOptions& options) {
  std::vector<std::string> folders = options.include_dirs;
  for (const std::string& flag : options.compile_flags) {
    if (flag.starts_with("-I")) folders.push_back(flag.substr(2));
  }
  return folders;
}

bool is_in_one(const std::vector<std::string>& folders, const char* path) {
  return std::ranges::any_of(folders, [path](const std::string& folder) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(folder) / path, error);
  });
}

}  // namespace

std::vector<File> files_for_hiprtc(const SourceUnit& unit, const BuildOptions& options) {
  std::vector<File> files = unit.files;
  for (File& file : files) {
    if (file.content.empty()) file.content = kEmpty;
  }
  const std::vector<std::string> folders = folders_of(options);
  for (const char* header : kBuiltInHeaders) {
    const bool is_own = std::ranges::find(unit.files, header, &File::path) != unit.files.end();
    if (!is_own && !is_in_one(folders, header)) files.push_back({header, kEmpty});
  }
  return files;
}

}  // namespace kmux::hip
