#include "nvidia/launch/ranges.h"

#include <atomic>
#include <dlfcn.h>
#include <string.h>

#include "nvidia/launch/lock.h"

namespace kmux::nvidia {
namespace {

Lock opening_ranges;
bool ranges_were_tried = false;  // under the lock
bool ranges_are_open = false;    // under the lock
Ranges range_functions;

bool find_range_functions() {
  void* library = dlopen("libnvtx3interop.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  void* const push = dlsym(library, "nvtxRangePushA");
  void* const pop = dlsym(library, "nvtxRangePop");
  memcpy(&range_functions.push, &push, sizeof push);
  memcpy(&range_functions.pop, &pop, sizeof pop);
  return push != nullptr && pop != nullptr;
}

}  // namespace

const Ranges* open_ranges(const Log& log) {
  const Locked locked(opening_ranges);
  if (!ranges_were_tried) {
    ranges_were_tried = true;
    ranges_are_open = find_range_functions();
    if (!ranges_are_open) {
      report(log, kLogWarning,
             "no NVTX ranges (neither \"libnvtx3interop.so.1\" nor \"libnvToolsExt.so.1\" can be used). Install the "
             "toolkit's NVTX library.");
    }
  }
  return ranges_are_open ? &range_functions : nullptr;
}

}  // namespace kmux::nvidia
