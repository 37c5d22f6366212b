#include "launch/hip_table.h"

#include <deque>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <mutex>
#include <string.h>
#include <unistd.h>

#include "launch/hip_error.h"

namespace kmux::hip {
namespace {

struct OpenedHip {
  std::string name;
  HipTable table;
};

// Returns the loader's text for a library that it failed to open.
std::string loader_text() {
  const char* const text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

constexpr const char* kAnyName = "libamdhip64.so";

bool is_hip(const std::string& file) { return file.compare(file.rfind('/') + 1, strlen(kAnyName), kAnyName) == 0; }

// Returns 1 for HIP's runtime, at which dl_iterate_phdr stops.
int note_if_hip(dl_phdr_info* info, size_t, void* found) {
  if (info->dlpi_name == nullptr || !is_hip(info->dlpi_name)) return 0;
  *static_cast<std::string*>(found) = info->dlpi_name;
  return 1;
}

void add_those_in(const std::string& folder, std::vector<std::string>& files) {
  for (const char* const name : kHipNames) {
    const std::string file = folder + "/" + name;
    if (access(file.c_str(), R_OK) == 0) files.push_back(file);
  }
}

std::string text_of(const HipPlaces& places) {
  std::string text = "nor is it in ";
  for (const std::string& folder : places.folders) text += folder + ", ";
  return text + kRocmFolder;
}

// Returns true if the process has loaded the library, also by a link to its file.
bool is_loaded(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return dlerror(), false;
  dlclose(handle);
  return true;
}

// Returns the runtime of this process if `library` is a different runtime; otherwise an empty string.
std::string other_than(const std::string& library) {
  if (!is_hip(library) || is_loaded(library)) return "";
  return loaded_hip();
}

void* open_first(const HipPlaces& places, std::string& tried) {
  for (const std::string& file : hip_candidates(places)) {
    if (void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    tried += (tried.empty() ? "" : "; ") + loader_text();
  }
  if (places.library.empty() && loaded_hip().empty()) tried += "; " + text_of(places);
  return nullptr;
}

// Fills the table. Returns the missing symbol, or null.
const char* fill(HipTable& table, void* handle) {
  auto* const get_last_error = reinterpret_cast<int (*)()>(dlsym(handle, "hipGetLastError"));
#define KMUX_CALL(name, symbol, params)                                                   \
  table.name = {reinterpret_cast<int(*) params>(dlsym(handle, #symbol)), get_last_error}; \
  if (table.name == nullptr) return #symbol;
  KMUX_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
#define KMUX_CALL(name, symbol, params) \
  table.name = {reinterpret_cast<int(*) params>(dlsym(handle, #symbol)), get_last_error};
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
  table.error_name = reinterpret_cast<const char* (*)(int)>(dlsym(handle, "hipGetErrorName"));
  table.error_string = reinterpret_cast<const char* (*)(int)>(dlsym(handle, "hipGetErrorString"));
  return nullptr;
}

bool make(OpenedHip& opened, const HipPlaces& places, kmux_sink error) {
  if (const std::string other = other_than(places.library); !other.empty()) {
    fail(error, KMUX_UNAVAILABLE,
         "HIP's runtime \"" + places.library + "\" is not the one of this process (\"" + other +
             "\" is loaded, and what one makes means nothing in the other). Remove KMUX_HIP_LIBRARY, or set it to "
             "that.");
    return false;
  }
  std::string tried;
  void* const handle = open_first(places, tried);
  if (handle == nullptr) {
    fail(error, KMUX_UNAVAILABLE,
         "HIP's runtime cannot be opened (" + tried +
             "). Install ROCm, on Debian by apt-get install libamdhip64-5, or set KMUX_HIP_LIBRARY to its "
             "libamdhip64.so.");
    return false;
  }
  const char* const missing = fill(opened.table, handle);
  if (missing == nullptr) return true;
  fail(error, KMUX_UNAVAILABLE,
       "HIP's runtime has no function " + std::string(missing) + " (" +
           (places.library.empty() ? loaded_hip() : places.library) + "). Install ROCm 5.0 or newer.");
  dlclose(handle);
  return false;
}

}  // namespace

std::string loaded_hip() {
  std::string file;
  dl_iterate_phdr(note_if_hip, &file);
  return file;
}

std::vector<std::string> hip_candidates(const HipPlaces& places) {
  if (!places.library.empty()) return {places.library};
  if (const std::string loaded = loaded_hip(); !loaded.empty()) return {loaded};
  std::vector<std::string> files;
  for (const std::string& folder : places.folders) add_those_in(folder, files);
  files.insert(files.end(), std::begin(kHipNames), std::end(kHipNames));
  add_those_in(kRocmFolder, files);
  return files;
}

// The library is never closed: HIP's runtime has its own threads.
const HipTable* open_hip(const HipPlaces& places, kmux_sink error) {
  static std::mutex mutex;
  static std::deque<OpenedHip>& all = *new std::deque<OpenedHip>;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const OpenedHip& opened : all) {
    if (opened.name == places.library) return &opened.table;
  }
  OpenedHip opened{places.library, {}};
  if (!make(opened, places, error)) return nullptr;
  all.push_back(opened);
  return &all.back().table;
}

}  // namespace kmux::hip
