#include "kmux/plugin/memory_library.h"

#include <climits>
#include <dlfcn.h>
#include <sys/mman.h>
#include <utility>

namespace kmux {
namespace {

constexpr int kScope = RTLD_NOW | RTLD_LOCAL;

Error cannot_open_library(const std::string& what, const std::string& why) {
  return make_error(ErrorCode::kUnavailable,
                    "the compiled " + what + " cannot be loaded (" + why + "). Build it again on this machine.");
}

bool write_bytes(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool is_loaded(const std::string& path) {
  void* const handle = dlopen(path.c_str(), kScope | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

// The dynamic linker takes two libraries of one path for the same. A library that stayed when it was closed has its path for
// good, while its number is given to the next file: that one is opened by another spelling of its path.
std::string free_path(const Descriptor& file) {
  std::string path = "/proc/self/fd/" + std::to_string(file.get());
  while (path.size() < PATH_MAX - 1 && is_loaded(path)) path.insert(path.rfind('/'), "/");
  return path;
}

}  // namespace

void MemoryLibrary::Closing::operator()(void* handle) const { dlclose(handle); }

Result<MemoryLibrary> MemoryLibrary::open(std::string_view bytes, const std::string& what) {
  Descriptor file(memfd_create(("kmux-" + what).c_str(), MFD_CLOEXEC));
  if (!file.is_open() || !write_bytes(file, bytes)) return cannot_open_library(what, "no memory for its file");
  const std::string path = free_path(file);
  if (is_loaded(path)) return cannot_open_library(what, "too many libraries could not be unloaded");
  void* const handle = dlopen(path.c_str(), kScope);
  if (handle == nullptr) return cannot_open_library(what, dlerror());
  return MemoryLibrary(std::move(file), handle);
}

void* MemoryLibrary::symbol(const std::string& name) const { return dlsym(handle_.get(), name.c_str()); }

}  // namespace kmux
