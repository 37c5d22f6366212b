#pragma once

#include <dlfcn.h>

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc and libdl only.

/// The functions of a profiler library that mark ranges of a thread; both null if it is not installed.
struct ProfilerRanges {
  int (*push)(const char* name) = nullptr;  // begins a range
  int (*pop)() = nullptr;  // ends the last one

  /// Returns true if the library was opened.
  bool are_open() const { return push != nullptr && pop != nullptr; }
};

/// A profiler library: its file names and functions.
struct RangesLibrary {
  const char* names[7];  // for the loader, best first; null-terminated
  const char* push;  // name of the function that begins a range
  const char* pop;  // name of the function that ends a range
  const char* missing;  // logged once if none can be opened
};

/// NVTX, by its names in the toolkit and in PyPI's nvidia-nvtx.
inline constexpr RangesLibrary kNvtx = {
    {"libnvtx3interop.so.1", "libnvToolsExt.so.1"},  // the first belongs to newer toolkits
    "nvtxRangePushA",
    "nvtxRangePop",
    "no NVTX ranges (neither \"libnvtx3interop.so.1\" nor \"libnvToolsExt.so.1\" can be opened). Install the NVTX "
    "library of the toolkit."};

/// ROCTx, of ROCprofiler-SDK (ROCm 6.2 and later) and of ROCTracer, on the loader's path and in ROCm's folder.
inline constexpr RangesLibrary kRoctx = {
    {"librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4",
     "/opt/rocm/lib/librocprofiler-sdk-roctx.so", "/opt/rocm/lib/libroctx64.so"},
    "roctxRangePushA",
    "roctxRangePop",
    "no ROCTx ranges (neither \"librocprofiler-sdk-roctx.so.1\" nor \"libroctx64.so.4\" can be opened). Install "
    "rocprofiler-sdk-roctx or roctracer of ROCm."};

/// Returns a handle of the first name that is already loaded, else of the first that the loader finds, else null.
inline void* open_ranges_library(const RangesLibrary& library) {
  constexpr int kFlags[] = {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL};
  for (const int flags : kFlags) {
    for (const char* const* name = library.names; *name != nullptr; ++name) {
      if (void* const handle = dlopen(*name, flags)) return handle;
    }
  }
  return nullptr;
}

/// Opens `library`. It is never closed: a profiler may depend on it.
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

/// The ranges of a library, shared by the process.
///
/// Threads: one at a time; the caller must synchronize.
class SharedRanges {
 public:
  /// Refers to `library` without opening it.
  explicit constexpr SharedRanges(const RangesLibrary& library) : library_(library) {}

  /// Returns the functions, or null if the library is not installed. The first such call logs by `warn(const char*
  /// text)`.
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

/// A scoped range; does nothing if `ranges` is null.
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
