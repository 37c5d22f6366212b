#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/plugin.h"

#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"

namespace kmux::hip {

/// A function of HIP's runtime. A failed call clears the last error: an error that its caller handles must not appear
/// in the application's next check (hipGetLastError). An application's own last error stays until such a failure.
///
/// Source: AMD, "HIP API 7.0 changes": hipGetLastError returns the thread's last error, also after later successful
/// calls.
template <class Function>
class HipCall;
template <class... Params>
class HipCall<int(Params...)> {
 public:
  using Function = int (*)(Params...);
  HipCall() = default;
  /// `get_last_error` may be null.
  HipCall(Function given, int (*get_last_error)() = nullptr) : function_(given), get_last_error_(get_last_error) {}

  int operator()(Params... params) const {
    const int result = function_(params...);
    if (__builtin_expect(result != kHipSuccess, 0)) forget(result);
    return result;
  }
  Function function() const { return function_; }
  explicit operator bool() const { return function_ != nullptr; }
  bool operator==(decltype(nullptr)) const { return function_ == nullptr; }
  bool operator!=(decltype(nullptr)) const { return function_ != nullptr; }

 private:
  __attribute__((cold)) void forget(int result) const {
    if (get_last_error_ != nullptr && result != kNotReady) get_last_error_();
  }

  Function function_ = nullptr;
  int (*get_last_error_)() = nullptr;
};

/// The functions of HIP's runtime, opened at run time. Only optional ones, graph functions and those for error texts
/// may be null.
struct HipTable {
#define KMUX_CALL(name, symbol, params) HipCall<int params> name;
  KMUX_HIP_CALLS(KMUX_CALL)
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
  const char* (*error_name)(int code) = nullptr;
  const char* (*error_string)(int code) = nullptr;
};

/// The search places of HIP's runtime.
struct HipPlaces {
  std::string library = {};  // the only file or name to try; empty: search
  std::vector<std::string> folders = {};  // searched before the loader's names, best first
};

/// Names of the runtime, newest first: those of a release have its number, the one in PyTorch's wheels has no number.
inline constexpr const char* kHipNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                            "libamdhip64.so"};
/// The default folder of ROCm's libraries.
inline constexpr const char* kRocmFolder = "/opt/rocm/lib";

/// Returns the file of the HIP runtime that this process has loaded; empty if it has none.
///
/// Threads: thread-safe.
std::string loaded_hip();

/// Returns the candidates to open, best first. If `places.library` is set, it is the only one. Else, if this process
/// has a runtime, that is the only one, since streams and memory of one are invalid in another. Otherwise returns the
/// files in `places.folders`, the names for the loader, and the files in `kRocmFolder`. Opens no library.
std::vector<std::string> hip_candidates(const HipPlaces& places);

/// Opens the first usable one of `hip_candidates`, once for each `places.library`, and never closes it. The result is
/// valid for the lifetime of the process.
///
/// Returns null after writing to `error` the tried libraries and the packages to install, or that the process has
/// another runtime. Threads: thread-safe.
const HipTable* open_hip(const HipPlaces& places, kmux_sink error);

}  // namespace kmux::hip
