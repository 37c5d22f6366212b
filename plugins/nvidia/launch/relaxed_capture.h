#pragma once

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// A time in which calls of this thread that may wait for a device leave the captures of other streams alone. Without it
/// the driver refuses such a call while anything is captured, and spoils what is.
///
/// Source: CUDA Driver API, cuThreadExchangeStreamCaptureMode.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const DriverTable& driver) : driver_(driver) {}
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

  /// Each returns what the driver said; `end` does nothing where `begin` failed.
  CUresult begin() {
    const CUresult result = driver_.exchange_capture_mode(&mode_);
    begun_ = result == CUDA_SUCCESS;
    return result;
  }
  CUresult end() { return begun_ ? driver_.exchange_capture_mode(&mode_) : CUDA_SUCCESS; }

  /// Does `action() -> int` in such a time. Returns its code, or the error of the time itself.
  template <class Action>
  static int during(const DriverTable& driver, kmux_sink error, Action action) {
    RelaxedCapture relaxed(driver);
    if (const int code = relaxed.check(relaxed.begin(), error)) return code;
    const int code = action();
    const CUresult ended = relaxed.end();
    return code == KMUX_OK ? relaxed.check(ended, error) : code;
  }

 private:
  int check(CUresult result, kmux_sink error) const;

  const DriverTable& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // once begun, the thread's own
  bool begun_ = false;
};

}  // namespace kmux::nvidia
