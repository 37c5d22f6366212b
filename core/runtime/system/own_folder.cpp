#include "own_folder.h"

#include <dlfcn.h>

namespace kmux {

std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::filesystem::path library = info.dli_fname;
  if (library.is_relative()) return {};
  std::error_code error;
  return std::filesystem::canonical(library, error).parent_path();
}

}  // namespace kmux
