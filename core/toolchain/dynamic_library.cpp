#include "kmux/plugin/dynamic_library.h"

#include <dlfcn.h>

namespace kmux {
namespace {

#ifdef __SANITIZE_ADDRESS__  // what a library that is gone keeps for itself looks leaked, and nobody knows whose it was
constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#else
constexpr int kMode = RTLD_NOW | RTLD_LOCAL;
#endif

std::string loader_text() {
  const char* text = dlerror();
  return text == nullptr ? "the loader gives no reason" : text;
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

}  // namespace kmux
