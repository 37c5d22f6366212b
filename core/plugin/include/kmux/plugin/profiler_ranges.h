#pragma once

#include <dlfcn.h>
#include <string.h>

namespace kmux {

// Also printed into generated launchers: C++17, libc and libdl alone.

/// The functions of a library that show ranges of a thread to profilers; both null where it is not installed.
struct ProfilerRanges {
  int (*push)(const char* name) = nullptr;  // begins a range
  int (*pop)() = nullptr;  // ends the last one

  /// Is the library there?
  bool are_open() const { return push != nullptr && pop != nullptr; }
};

/// A library that shows ranges: what it is called, and its functions.
struct RangesLibrary {
  const char* names[7];  // for the loader, best first; null behind the last
  const char* push;  // its function that begins a range
  const char* pop;  // and the one that ends it
  const char* missing;  // what to log, once, where none can be opened
};

/// NVTX, by the names that the toolkit and PyPI's nvidia-nvtx give it.
inline constexpr RangesLibrary kNvtx = {
    {"libnvtx3interop.so.1", "libnvToolsExt.so.1"},  // the first is of newer toolkits
    "nvtxRangePushA",
    "nvtxRangePop",
    "no NVTX ranges (neither \"libnvtx3interop.so.1\" nor \"libnvToolsExt.so.1\" can be opened). Install the NVTX "
    "library of the toolkit."};

/// ROCTx, of ROCprofiler-SDK (ROCm 6.2 and later) and of ROCTracer, where the loader finds it and where ROCm is installed.
inline constexpr RangesLibrary kRoctx = {
    {"librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4",
     "/opt/rocm/lib/librocprofiler-sdk-roctx.so", "/opt/rocm/lib/libroctx64.so"},
    "roctxRangePushA",
    "roctxRangePop",
    "no ROCTx ranges (neither \"librocprofiler-sdk-roctx.so.1\" nor \"libroctx64.so.4\" can be opened). Install "
    "rocprofiler-sdk-roctx or roctracer of ROCm."};

/// A handle of the first of the library's names that is in the process, else of the first that the loader finds; null where
/// none is.
inline void* open_ranges_library(const RangesLibrary& library) {
  constexpr int kFlags[] = {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL};
  for (const int flags : kFlags) {
    for (const char* const* name = library.names; *name != nullptr; ++name) {
      if (void* const handle = dlopen(*name, flags)) return handle;
    }
  }
  return nullptr;
}

/// Opens `library`. Never closed: a profiler may stand behind it.
///
/// Threads: any.
inline ProfilerRanges open_profiler_ranges(const RangesLibrary& library) {
  void* const handle = open_ranges_library(library);
  ProfilerRanges ranges;
  if (handle == nullptr) return ranges;
  ranges.push = reinterpret_cast<int (*)(const char*)>(dlsym(handle, library.push));
  ranges.pop = reinterpret_cast<int (*)()>(dlsym(handle, library.pop));
  return ranges;
}

/// The functions of a library for all that show ranges in this process.
///
/// Threads: one at a time.
class SharedRanges {
 public:
  /// Those of `library`, which is not opened yet.
  explicit constexpr SharedRanges(const RangesLibrary& library) : library_(library) {}

  /// Null where the library is not installed, which the first such call has `warn(const char* text)` log.
  template <class Warn>
  const ProfilerRanges* open(Warn warn) {
    if (!ranges_.are_open()) ranges_ = open_profiler_ranges(library_);
    if (ranges_.are_open()) return &ranges_;
    if (!was_missed_) warn(library_.missing);
    was_missed_ = true;
    return nullptr;
  }

 private:
  const RangesLibrary& library_;
  ProfilerRanges ranges_ = {};
  bool was_missed_ = false;
};

/// Does this value of KMUX_NVTX or KMUX_ROCTX ask for ranges? All do but "", "0", "off", "no" and "false".
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
