#include "nvidia/launch/ranges.h"

#include <dlfcn.h>

#include "nvidia/launch/lock.h"

namespace kmux::nvidia {
namespace {

Lock opening_ranges;
bool ranges_are_open = false;
bool ranges_were_missed = false;
Ranges range_functions;

bool find_range_functions() {
  void* library = dlopen("libnvtx3interop.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  range_functions.push = reinterpret_cast<int (*)(const char*)>(dlsym(library, "nvtxRangePushA"));
  range_functions.pop = reinterpret_cast<int (*)()>(dlsym(library, "nvtxRangePop"));
  return range_functions.push != nullptr && range_functions.pop != nullptr;
}

}  // namespace

const Ranges* open_ranges(const Log& log) {
  const Locked locked(opening_ranges);
  if (!ranges_are_open) ranges_are_open = find_range_functions();
  if (ranges_are_open) return &range_functions;
  if (!ranges_were_missed) {
    report(
        log, kLogWarning,
        "no NVTX ranges (neither \"libnvtx3interop.so.1\" nor \"libnvToolsExt.so.1\" can be opened). Install the NVTX "
        "library of the toolkit.");
  }
  ranges_were_missed = true;
  return nullptr;
}

}  // namespace kmux::nvidia
