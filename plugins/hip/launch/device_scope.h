#pragma once

#include "launch/hip_error.h"

namespace kmux::hip {

/// The current device of this thread for the length of a call: HIP's own is kept wherever it is the right one.
class DeviceScope {
 public:
  explicit DeviceScope(const HipTable& hip) : hip_(hip) {}
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Errors: 0, or what HIP said; then nothing is changed.
  int enter(int device, kmux_sink error) {
    int current = -1;
    const int result = hip_.device_get(&current);
    if (__builtin_expect(result == kHipSuccess && current == device, 1)) return KMUX_OK;
    return change(current, result, device, error);
  }

  /// Restores the device before. Returns `code`, or an error of its own if `code` is 0.
  int leave(int code, kmux_sink error) { return __builtin_expect(is_changed_, 0) ? restore(code, error) : code; }

 private:
  int change(int current, int result, int device, kmux_sink error);
  int restore(int code, kmux_sink error);

  const HipTable& hip_;
  int before_ = 0;
  bool is_changed_ = false;
};

}  // namespace kmux::hip
