#pragma once

#include <stddef.h>
#include <string>

#include "kmux/plugin/plugin.h"

#include "launch/hip_table.h"

namespace kmux::hip {

/// The log for reports that cannot be errors. If `write` is null, reports are dropped. `level` is as in kmux_host_api.
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

/// A scope in which this thread's calls that may wait for a device do not affect captures of streams. Outside of it,
/// HIP rejects such a call while a stream is captured, and invalidates the capture.
///
/// Source: HIP Runtime API, hipThreadExchangeStreamCaptureMode. ROCm's clr checks the mode in hipMalloc and hipFree,
/// later releases in hipModuleUnload (CHECK_STREAM_CAPTURE_SUPPORTED). hipDeviceSynchronize ignores the mode
/// (CHECK_SUPPORTED_DURING_CAPTURE), and invalidates every capture of the process.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const HipTable& hip) : hip_(hip) {}
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

  /// Return HIP's result; success with a release without modes (before ROCm 5.2). `end` does nothing if `begin` failed.
  int begin() {
    if (hip_.exchange_capture_mode == nullptr) return kHipSuccess;
    const int result = hip_.exchange_capture_mode(&mode_);
    begun_ = result == kHipSuccess;
    return result;
  }
  int end() { return begun_ ? hip_.exchange_capture_mode(&mode_) : static_cast<int>(kHipSuccess); }

  /// Calls `action() -> int` in such a scope. Returns its code, or the error of entering or leaving the scope.
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
  int mode_ = kCaptureModeRelaxed;  // after `begin`: the thread's previous mode
  bool begun_ = false;
};

}  // namespace kmux::hip
