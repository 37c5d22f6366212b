#include "engine/installation.h"

#include <dlfcn.h>

#include "clang/Basic/Version.h"
#include "engine/compiler_libraries.h"
#include "llvm/Config/llvm-config.h"

namespace kmux::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuiltWith = KMUX_CLANG_RESOURCE_DIR;

std::vector<fs::path> candidates() {
  const fs::path version = std::to_string(CLANG_VERSION_MAJOR);
  const fs::path plugins = fs::path(own_library()).parent_path();
  const std::vector<std::string> compiler = compiler_libraries();
  const fs::path libraries = compiler.empty() ? plugins : fs::path(compiler.front()).parent_path();
  return {plugins / ("clang-" + version.string()),
          plugins.parent_path() / "clang" / version,
          kBuiltWith,
          libraries / "clang" / version,
          fs::path("/usr/lib/llvm-" + version.string()) / "lib/clang" / version,
          fs::path("/usr/lib/clang") / version};
}

}  // namespace

std::string compiler_version() { return "LLVM " LLVM_VERSION_STRING; }

std::string library_of(void* address) {
  Dl_info info{};
  if (!dladdr(address, &info) || !info.dli_fname) return "";
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  return error ? std::string(info.dli_fname) : real.string();
}

std::string own_library() {
  static const std::string own = library_of(reinterpret_cast<void*>(&own_library));
  return own;
}

Result<std::string> resource_dir() {
  // Asked for each key of the cache. What is missing may be installed while the process runs.
  static const Result<std::string> at_first = first_resource_dir(candidates());
  return at_first ? at_first : first_resource_dir(candidates());
}

std::string resource_dir_or_default() {
  const auto found = resource_dir();
  return found ? *found : kBuiltWith;
}

Result<std::string> first_resource_dir(std::span<const fs::path> folders) {
  std::string searched;
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "include/stddef.h", error)) return folder.string();
    searched += (searched.empty() ? "\"" : ", \"") + folder.string() + "\"";
  }
  return make_error(ErrorCode::kUnavailable, "Clang's own headers were not found (searched " + searched +
                                                 "). Install them: apt-get install libclang-common-19-dev.");
}

}  // namespace kmux::cpu
