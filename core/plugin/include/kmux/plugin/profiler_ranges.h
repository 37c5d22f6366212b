#pragma once

#include <dlfcn.h>
#include <string.h>

namespace kmux {

// Also printed into generated launchers: C++17, libc and libdl alone.

/// The functions of NVTX that show ranges of a thread to profilers; both null where it is not installed.
struct ProfilerRanges {
  int (*push)(const char* name) = nullptr;  // begins a range
  int (*pop)() = nullptr;  // ends the last one

  /// Is NVTX there?
  bool are_open() const { return push != nullptr && pop != nullptr; }
};

/// What to log, once, where `open_profiler_ranges` finds none.
inline constexpr char kNoProfilerRanges[] =
    "no NVTX ranges (neither \"libnvtx3interop.so.1\" nor \"libnvToolsExt.so.1\" can be opened). Install the NVTX "
    "library "
    "of the toolkit.";

/// Opens NVTX by the names that the toolkit and PyPI's nvidia-nvtx give it, where the loader finds it. Never closed: a
/// profiler may stand behind it.
///
/// Threads: any.
inline ProfilerRanges open_profiler_ranges() {
  void* library = dlopen("libnvtx3interop.so.1", RTLD_NOW | RTLD_LOCAL);  // of newer toolkits
  if (library == nullptr) library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
  ProfilerRanges ranges;
  if (library == nullptr) return ranges;
  ranges.push = reinterpret_cast<int (*)(const char*)>(dlsym(library, "nvtxRangePushA"));
  ranges.pop = reinterpret_cast<int (*)()>(dlsym(library, "nvtxRangePop"));
  return ranges;
}

/// Does this value of KMUX_NVTX ask for ranges? All do but "", "0", "off", "no" and "false".
inline bool asks_for_profiler_ranges(const char* value) {
  return value[0] != '\0' && strcmp(value, "0") != 0 && strcmp(value, "off") != 0 && strcmp(value, "no") != 0 &&
         strcmp(value, "false") != 0;
}

/// A range for the length of a scope; nothing if `ranges` is null.
class ProfilerRange {
 public:
  /// Begins the range.
  ProfilerRange(const ProfilerRanges* ranges, const char* name) : ranges_(ranges) {
    if (__builtin_expect(ranges_ != nullptr, 0)) ranges_->push(name);
  }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() {
    if (__builtin_expect(ranges_ != nullptr, 0)) ranges_->pop();
  }

 private:
  const ProfilerRanges* ranges_;
};

}  // namespace kmux
