#include "launch/device_scope.h"

namespace kmux::hip {

int DeviceScope::change(int current, int result, int device, kmux_sink error) {
  if (result != kHipSuccess) return fail_call(hip_, error, "hipGetDevice", result, "");
  result = hip_.device_set(device);
  if (result != kHipSuccess) {
    return fail_call(hip_, error, "hipSetDevice", result, "device " + std::to_string(device));
  }
  before_ = current;
  is_changed_ = true;
  return KMUX_OK;
}

int DeviceScope::restore(int code, kmux_sink error) {
  is_changed_ = false;
  const int result = hip_.device_set(before_);
  if (result == kHipSuccess || code != KMUX_OK) return code;  // the first failure is what is told
  return fail_call(hip_, error, "hipSetDevice", result, "device " + std::to_string(before_) + ", as before the call");
}

}  // namespace kmux::hip
