#include "engine/installation.h"

#include <dlfcn.h>

#include "clang/Basic/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

namespace kmux::cpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuiltWith = KMUX_CLANG_RESOURCE_DIR;

// The file that the code at `address` was loaded from.
std::string file_of(void* address) {
  Dl_info info{};
  if (!dladdr(address, &info) || !info.dli_fname) return "";
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  return error ? std::string(info.dli_fname) : real.string();
}

std::string own_library() { return file_of(reinterpret_cast<void*>(&file_of)); }

std::string clang_library() { return file_of(reinterpret_cast<void*>(&clang::getClangFullVersion)); }

std::vector<fs::path> candidates() {
  const fs::path version = std::to_string(CLANG_VERSION_MAJOR);
  const fs::path plugins = fs::path(own_library()).parent_path();
  const fs::path libraries = fs::path(clang_library()).parent_path();
  return {plugins / ("clang-" + version.string()),
          plugins.parent_path() / "clang" / version,
          kBuiltWith,
          libraries / "clang" / version,
          fs::path("/usr/lib/llvm-" + version.string()) / "lib/clang" / version,
          fs::path("/usr/lib/clang") / version};
}

}  // namespace

std::string compiler_version() { return "LLVM " LLVM_VERSION_STRING; }

std::vector<std::string> compiler_libraries() {
  const std::string clang = clang_library();
  const std::string llvm = file_of(reinterpret_cast<void*>(&llvm::sys::getProcessTriple));
  if (clang == own_library()) return {};
  return clang == llvm ? std::vector<std::string>{clang} : std::vector<std::string>{clang, llvm};
}

Result<std::string> resource_dir() { return first_resource_dir(candidates()); }

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
