#include "kmux/plugin/python_packages.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>

namespace kmux {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> packages_of(const std::string& venv) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(venv) / "lib", error)) {
    const fs::path& folder = entry.path();
    if (folder.filename().string().starts_with("python3")) found.push_back((folder / "site-packages").string());
  }
  std::ranges::sort(found);
  return found;
}

// The shared object that has `code`, or the program.
fs::path file_with(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  return fs::absolute(info.dli_fname, error);
}

}  // namespace

std::vector<std::string> python_packages(const std::string& venv, const void* own_code) {
  std::vector<std::string> found = venv.empty() ? std::vector<std::string>() : packages_of(venv);
  for (fs::path folder = file_with(own_code).parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name != "site-packages" && name != "dist-packages") continue;
    found.push_back(folder.string());
    break;
  }
  return found;
}

}  // namespace kmux
