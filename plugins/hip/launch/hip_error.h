#pragma once

#include <stddef.h>
#include <string>

#include "kmux/plugin/plugin.h"

#include "launch/hip_table.h"

namespace kmux::hip {

/// Where reports of what cannot be an error go; without `write` they are dropped. level as in kmux_host_api.
struct Log {
  void* self;
  void (*write)(void* self, int level, const char* text, size_t size);
};

enum LogLevel { kLogInfo = 1, kLogWarning = 2 };

/// Writes `text`, a line, to `log`.
void report(const Log& log, LogLevel level, const std::string& text);

/// Writes `text` to `error` and returns `code`.
__attribute__((cold)) int fail(kmux_sink error, int code, const std::string& text);

/// Writes "CALL failed with NUMBER NAME (text; detail). What to do." and returns `error_code_of(result)`.
__attribute__((cold)) int fail_call(const HipTable& hip, kmux_sink error, const char* call, int result,
                                    const std::string& detail);

/// 0 for success, else `fail_call`.
inline int check_call(const HipTable& hip, kmux_sink error, const char* call, int result, const std::string& detail) {
  return result == kHipSuccess ? KMUX_OK : fail_call(hip, error, call, result, detail);
}

/// The ErrorCode that a hipError_t means.
int error_code_of(int result);

/// Is it one of the errors about a capture that is in the way?
bool says_capturing(int result);

/// "3", "hipErrorNotInitialized" as "3 hipErrorNotInitialized".
std::string name_of(const HipTable& hip, int result);

/// A time in which calls of this thread that may wait for a device leave the captures of streams alone. Without it HIP
/// refuses such a call while a stream is captured, and invalidates the capture.
///
/// Source: HIP Runtime API, hipThreadExchangeStreamCaptureMode. ROCm's clr looks at the mode in hipMalloc and hipFree, later
/// releases in hipModuleUnload (CHECK_STREAM_CAPTURE_SUPPORTED). It does not in hipDeviceSynchronize
/// (CHECK_SUPPORTED_DURING_CAPTURE), which invalidates every capture of the process in any mode.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const HipTable& hip) : hip_(hip) {}
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

  /// Each returns what HIP returned, success from a release without modes (before ROCm 5.2). `end` does nothing where
  /// `begin` failed.
  int begin() {
    if (hip_.exchange_capture_mode == nullptr) return kHipSuccess;
    const int result = hip_.exchange_capture_mode(&mode_);
    begun_ = result == kHipSuccess;
    return result;
  }
  int end() { return begun_ ? hip_.exchange_capture_mode(&mode_) : static_cast<int>(kHipSuccess); }

  /// Does `action() -> int` in such a time. Returns its code, or the error of the time itself.
  template <class Action>
  static int during(const HipTable& hip, kmux_sink error, Action action) {
    RelaxedCapture relaxed(hip);
    if (const int code = relaxed.check(relaxed.begin(), error)) return code;
    const int code = action();
    const int ended = relaxed.end();
    return code == KMUX_OK ? relaxed.check(ended, error) : code;
  }

 private:
  int check(int result, kmux_sink error) const;

  const HipTable& hip_;
  int mode_ = kCaptureModeRelaxed;  // once begun, the thread's own
  bool begun_ = false;
};

}  // namespace kmux::hip
