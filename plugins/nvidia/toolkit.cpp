#include "nvidia/toolkit.h"

#include <algorithm>
#include <filesystem>

#include "kmux/plugin/process.h"

namespace kmux::nvidia {
namespace {

namespace fs = std::filesystem;

// The folder above bin, through links: /usr/bin/nvcc may be one.
std::optional<std::string> home_of_nvcc() {
  const auto nvcc = find_program("nvcc");
  if (!nvcc) return std::nullopt;
  std::error_code error;
  const fs::path real = fs::canonical(*nvcc, error);
  if (error) return std::nullopt;
  return real.parent_path().parent_path().string();
}

void add(std::vector<std::string>& folders, std::optional<std::string> folder) {
  if (folder && !folder->empty() && std::ranges::find(folders, *folder) == folders.end()) {
    folders.push_back(std::move(*folder));
  }
}

}  // namespace

std::vector<std::string> toolkit_homes(const Host& host) {
  std::vector<std::string> homes;
  add(homes, host.option("cuda.home"));
  add(homes, home_of_nvcc());
  add(homes, "/usr/local/cuda");
  return homes;
}

std::vector<std::string> toolkit_includes(const std::string& home) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const char* name : {"/include", "/include/cccl"}) {
    if (fs::is_directory(home + name, error)) folders.push_back(home + name);
  }
  return folders;
}

}  // namespace kmux::nvidia
