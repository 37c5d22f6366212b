#include "kmux/plugin/dynamic_library.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <utility>

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

#ifdef __SANITIZE_ADDRESS__  // what a library that is gone keeps for itself looks leaked, and its library cannot be found any more
constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#else
constexpr int kMode = RTLD_NOW | RTLD_LOCAL;
#endif

std::string loader_text() {
  const char* text = dlerror();
  return text == nullptr ? "the loader gives no reason" : text;
}

Error cannot_open_library(const std::string& what, const std::string& why) {
  return make_error(ErrorCode::kUnavailable,
                    "the compiled " + what + " cannot be loaded (" + why + "). Build it again on this machine.");
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), kMode)) {
      return DynamicLibrary(std::shared_ptr<void>(handle, [](void* open) { dlclose(open); }), name);
    }
    tried.append(tried.empty() ? "" : "; ").append("\"" + name + "\": " + loader_text());
  }
  return make_error(ErrorCode::kUnavailable,
                    "cannot open a shared library (" + tried + "). Install it or add its folder to the loader's path.");
}

Result<void*> DynamicLibrary::symbol(const std::string& symbol_name) const {
  dlerror();
  void* address = dlsym(handle_.get(), symbol_name.c_str());
  if (address != nullptr) return address;
  return make_error(ErrorCode::kUnavailable, "no symbol \"" + symbol_name + "\" in \"" + name_ + "\" (" +
                                                 loader_text() + "). Install a newer version of that library.");
}

void MemoryLibrary::Closing::operator()(void* handle) const { dlclose(handle); }

Result<MemoryLibrary> MemoryLibrary::open(std::string_view bytes, const std::string& what) {
  Descriptor file;
  std::string why;
  void* const handle = open_library_of(bytes, what, file, why);
  if (handle == nullptr) return cannot_open_library(what, why);
  return MemoryLibrary(std::move(file), handle);
}

void* MemoryLibrary::symbol(const std::string& name) const { return dlsym(handle_.get(), name.c_str()); }

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
