#include "nvidia/launch/context.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
int retain_context(const DriverTable& driver, int ordinal, DeviceContext* context, kmux_sink error) {
  context->ordinal = ordinal;
  CUresult result = driver.device_get(&context->device, ordinal);
  if (result != CUDA_SUCCESS) return fail_call(driver, error, "cuDeviceGet", result, "device %d", ordinal);
  result = driver.primary_retain(&context->primary, context->device);
  if (result == CUDA_SUCCESS) return KMUX_OK;
  return fail_call(driver, error, "cuDevicePrimaryCtxRetain", result, "device %d", ordinal);
}

CUresult release_context(const DriverTable& driver, const DeviceContext& context) {
  return driver.primary_release(context.device);
}

int ContextScope::enter_from(CUcontext current, CUresult result, kmux_sink error) {
  if (result != CUDA_SUCCESS) return fail_call(driver_, error, "cuCtxGetCurrent", result, "%s", "");
  if (current != nullptr) {
    CUdevice device = -1;
    result = driver_.current_device(&device);
    if (result != CUDA_SUCCESS) return fail_call(driver_, error, "cuCtxGetDevice", result, "%s", "");
    is_kept_ = device == context_.device;
    if (is_kept_) return KMUX_OK;
  }
  result = driver_.current_set(context_.primary);
  if (result != CUDA_SUCCESS) {
    return fail_call(driver_, error, "cuCtxSetCurrent", result, "device %d", context_.ordinal);
  }
  before_ = current;
  is_changed_ = true;
  return KMUX_OK;
}

int ContextScope::restore(int code, kmux_sink error) {
  is_changed_ = false;
  const CUresult result = driver_.current_set(before_);
  if (code != KMUX_OK || result == CUDA_SUCCESS) return code;
  return fail_call(driver_, error, "cuCtxSetCurrent", result, "the context that was current before device %d's",
                   context_.ordinal);
}

}  // namespace kmux::nvidia
