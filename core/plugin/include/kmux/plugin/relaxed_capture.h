#pragma once

#include "kmux/plugin/lane_states.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// A scope in which this thread's calls that may wait for a device do not affect captures of other streams. Outside of
/// it, the driver rejects such a call while any stream is captured, and invalidates the capture.
///
/// `Calls` makes the calls of a CUDA-like driver, and has:
/// - `kExchange`: the name of the call that exchanges this thread's capture mode
/// - `int exchange_mode(int* mode) const`: that call; 0 for a driver without modes
/// - `kRelaxed`: the relaxed mode
/// - `int fail(const char* call, int result, const char* detail, kmux_sink error) const`: writes the error of a call and
///   returns its ErrorCode
template <class Calls>
class RelaxedCapture {
 public:
  /// Copies `calls`. Changes nothing before `begin`.
  explicit RelaxedCapture(const Calls& calls) : calls_(calls) {}
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

  /// Enters the scope. Returns the driver's result.
  int begin() {
    const int result = calls_.exchange_mode(&mode_);
    has_begun_ = result == 0;
    return result;
  }
  /// Leaves the scope; does nothing if `begin` failed. Returns the driver's result.
  int end() { return has_begun_ ? calls_.exchange_mode(&mode_) : 0; }

  /// Calls `action() -> int` in such a scope. Returns its code, or the error of entering or leaving the scope.
  template <class Action>
  static int during(const Calls& calls, kmux_sink error, Action action) {
    RelaxedCapture relaxed(calls);
    if (const int code = relaxed.check(relaxed.begin(), error)) return code;
    const int code = action();
    const int ended = relaxed.end();
    return code == KMUX_OK ? relaxed.check(ended, error) : code;
  }

  /// Calls `action() -> ReplayFailure` in such a scope. Returns its failure, or that of the scope. With `regardless` it
  /// calls `action` even if the scope cannot be entered.
  template <class Action>
  static ReplayFailure around(const Calls& calls, Action action, bool regardless) {
    RelaxedCapture relaxed(calls);
    const int begun = relaxed.begin();
    if (begun != 0 && !regardless) return {Calls::kExchange, begun};
    const ReplayFailure failure = action();
    const int ended = relaxed.end();
    if (failure.call != nullptr || (begun == 0 && ended == 0)) return failure;
    return {Calls::kExchange, begun == 0 ? ended : begun};
  }

 private:
  int check(int result, kmux_sink error) const {
    return result == 0 ? static_cast<int>(KMUX_OK) : calls_.fail(Calls::kExchange, result, "", error);
  }

  const Calls calls_;
  int mode_ = Calls::kRelaxed;  // after `begin`: the thread's previous mode
  bool has_begun_ = false;
};

}  // namespace kmux
