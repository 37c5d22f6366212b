#pragma once

#include <string>

#include "kmux/plugin/launch_log.h"
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/relaxed_capture.h"

#include "launch/hip_table.h"

namespace kmux::hip {

using Log = LaunchLog;

/// Writes `text` to `error` and returns `code`.
__attribute__((cold)) int fail(kmux_sink error, int code, const std::string& text);

/// Writes "CALL failed with NUMBER NAME (text; detail). What to do." and returns `error_code_of(result)`.
__attribute__((cold)) int fail_call(const HipTable& hip, kmux_sink error, const char* call, int result,
                                    const std::string& detail);

/// Returns 0 for success, else the result of `fail_call`.
inline int check_call(const HipTable& hip, kmux_sink error, const char* call, int result, const std::string& detail) {
  return result == kHipSuccess ? KMUX_OK : fail_call(hip, error, call, result, detail);
}

/// Returns the ErrorCode for a hipError_t.
int error_code_of(int result);

/// Returns true if `result` means that a stream capture forbids the call.
bool says_capturing(int result);

/// Returns number and name of an error, for example "3 hipErrorNotInitialized".
std::string name_of(const HipTable& hip, int result);

/// HIP's calls that concern captures, for the templates of kmux/plugin/. A release without modes (before ROCm 5.2)
/// succeeds, and one without the query captures nothing.
///
/// Source: HIP Runtime API, hipThreadExchangeStreamCaptureMode. ROCm's clr checks the mode in hipMalloc and hipFree,
/// later releases in hipModuleUnload (CHECK_STREAM_CAPTURE_SUPPORTED). hipDeviceSynchronize ignores the mode
/// (CHECK_SUPPORTED_DURING_CAPTURE), and invalidates every capture of the process.
struct CaptureCalls {
  static constexpr const char* kExchange = "hipThreadExchangeStreamCaptureMode";
  static constexpr const char* kQuery = "hipStreamIsCapturing";
  static constexpr int kRelaxed = kCaptureModeRelaxed;

  CaptureCalls(const HipTable& table) : hip(table) {}

  int exchange_mode(int* mode) const {
    return hip.exchange_capture_mode == nullptr ? static_cast<int>(kHipSuccess) : hip.exchange_capture_mode(mode);
  }
  int query(void* stream, int* status) const {
    if (hip.stream_capturing == nullptr) return kHipSuccess;
    return hip.stream_capturing(static_cast<hipStream_t>(stream), status);
  }
  int fail(const char* call, int result, const char* detail, kmux_sink error) const {
    return fail_call(hip, error, call, result, detail);
  }
  const char* name_of(int result) const;
  static bool says_capturing(int result) { return hip::says_capturing(result); }
  static bool forbids_unloading(int result);

  const HipTable& hip;
};

using RelaxedCapture = kmux::RelaxedCapture<CaptureCalls>;

}  // namespace kmux::hip
