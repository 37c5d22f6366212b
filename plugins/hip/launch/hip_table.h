#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/plugin.h"

#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"

namespace kmux::hip {

/// A function of HIP's runtime. A call that fails leaves no last error: what a caller handles must not appear in the next check
/// of an application (hipGetLastError), which has not made the call. An application's own last error stays until such a call.
///
/// Source: AMD, "HIP API 7.0 changes": hipGetLastError returns the last error of the thread, whatever succeeded since.
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

/// The functions of HIP's runtime, opened at run time. Only optional ones, those of graphs and those that name errors may be null.
struct HipTable {
#define KMUX_CALL(name, symbol, params) HipCall<int params> name;
  KMUX_HIP_CALLS(KMUX_CALL)
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
  const char* (*error_name)(int code) = nullptr;
  const char* (*error_string)(int code) = nullptr;
};

/// Where HIP's runtime is looked for.
struct HipPlaces {
  std::string library = {};  // this file or name and no other; empty: wherever it is
  std::vector<std::string> folders = {};  // in these, best first, before what the loader knows
};

/// Names of the runtime, newest first: those of a release have its number, the one in PyTorch's wheels has none.
inline constexpr const char* kHipNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                            "libamdhip64.so"};
/// Where ROCm is installed.
inline constexpr const char* kRocmFolder = "/opt/rocm/lib";

/// The file of the HIP runtime that is in this process already; empty if none is.
///
/// Threads: any.
std::string loaded_hip();

/// What to open, best first: `places.library` alone if it is named; the runtime of this process alone if it has one, since
/// streams and memory of one mean nothing in another; else those that `places.folders` have, the names that the loader
/// may know, and that of `kRocmFolder`. No library is opened.
std::vector<std::string> hip_candidates(const HipPlaces& places);

/// Opens the first of `hip_candidates` that can be; once for each `places.library`, and for good.
///
/// Returns null after writing to `error` what was tried and what to install, or that another runtime is in the process.
/// Threads: any.
const HipTable* open_hip(const HipPlaces& places, kmux_sink error);

}  // namespace kmux::hip
