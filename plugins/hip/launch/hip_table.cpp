#include "launch/hip_table.h"

#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <string>

#include "launch/hip_error.h"

namespace kmux::hip {
namespace {

struct OpenedHip {
  std::string name;
  HipTable table;
};

// What the loader says of a library that it does not open.
std::string loader_text() {
  const char* const text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

void* open_first(const std::string& library, std::string& tried) {
  if (!library.empty()) {
    void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) tried = loader_text();
    return handle;
  }
  for (const char* const name : kHipLibraries) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    tried += (tried.empty() ? "" : "; ") + loader_text();
  }
  return nullptr;
}

// The symbol that is missing, or null.
const char* fill(HipTable& table, void* handle) {
#define KMUX_CALL(name, symbol, params)                                 \
  table.name = reinterpret_cast<int(*) params>(dlsym(handle, #symbol)); \
  if (table.name == nullptr) return #symbol;
  KMUX_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
#define KMUX_CALL(name, symbol, params) table.name = reinterpret_cast<int(*) params>(dlsym(handle, #symbol));
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
  table.error_name = reinterpret_cast<const char* (*)(int)>(dlsym(handle, "hipGetErrorName"));
  table.error_string = reinterpret_cast<const char* (*)(int)>(dlsym(handle, "hipGetErrorString"));
  return nullptr;
}

bool make(OpenedHip& opened, kmux_sink error) {
  std::string tried;
  void* const handle = open_first(opened.name, tried);
  if (handle == nullptr) {
    fail(error, KMUX_UNAVAILABLE,
         "HIP's runtime cannot be opened (" + tried +
             "). Install ROCm (Debian: apt-get install libamdhip64-5), or set KMUX_HIP_LIBRARY to its libamdhip64.so.");
    return false;
  }
  const char* const missing = fill(opened.table, handle);
  if (missing == nullptr) return true;
  fail(error, KMUX_UNAVAILABLE,
       "HIP's runtime has no function " + std::string(missing) + " (" +
           (opened.name.empty() ? "the loader's libamdhip64.so" : opened.name) + "). Install ROCm 5.0 or newer.");
  dlclose(handle);
  return false;
}

}  // namespace

// Never closed: HIP's runtime has threads of its own.
const HipTable* open_hip(const char* library, kmux_sink error) {
  static std::mutex mutex;
  static std::deque<OpenedHip>& all = *new std::deque<OpenedHip>;
  const std::string name = library == nullptr ? "" : library;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const OpenedHip& opened : all) {
    if (opened.name == name) return &opened.table;
  }
  OpenedHip opened{name, {}};
  if (!make(opened, error)) return nullptr;
  all.push_back(opened);
  return &all.back().table;
}

}  // namespace kmux::hip
