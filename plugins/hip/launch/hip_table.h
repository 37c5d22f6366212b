#pragma once

#include "kmux/plugin/plugin.h"

#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"

namespace kmux::hip {

/// The functions of HIP's runtime, opened at run time. Only optional ones and those that name errors may be null.
struct HipTable {
#define KMUX_CALL(name, symbol, params) int(*name) params = nullptr;
  KMUX_HIP_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
  const char* (*error_name)(int code) = nullptr;
  const char* (*error_string)(int code) = nullptr;
};

/// What is tried where no library is named, newest first. Those of a release have its number.
inline constexpr const char* kHipLibraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};

/// Opens `library`, or the first of `kHipLibraries` if it is null or empty; once for each name, and for good.
///
/// Returns null after writing to `error` what was tried and what to install.
/// Threads: any.
const HipTable* open_hip(const char* library, kmux_sink error);

}  // namespace kmux::hip
