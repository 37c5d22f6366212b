#include "nvidia/launch/context.h"

#include <pthread.h>

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

namespace {

/// Makes no context current on this thread if `context` is current.
ContextRelease leave_current(const DriverTable& driver, const DeviceContext& context) {
  CUcontext current = nullptr;
  const CUresult result = driver.current_get(&current);
  if (result != CUDA_SUCCESS) return {"cuCtxGetCurrent", result};
  if (current != context.primary) return {};
  return {"cuCtxSetCurrent", driver.current_set(nullptr)};
}

}  // namespace

ContextRelease release_context(const DriverTable& driver, const DeviceContext& context) {
  const unsigned long thread = __atomic_load_n(&context.stays_on, __ATOMIC_RELAXED);
  if (thread != 0 && thread != pthread_self()) return {};
  const ContextRelease left = thread == 0 ? ContextRelease{} : leave_current(driver, context);
  const ContextRelease released{"cuDevicePrimaryCtxRelease", driver.primary_release(context.device)};
  return left.result == CUDA_SUCCESS ? released : left;
}

int ContextScope::enter(kmux_sink error) {
  if (is_entered_) return KMUX_OK;
  CUcontext current = nullptr;
  if (const int code = look(&current, error)) return code;
  CUdevice device = -1;
  if (current != nullptr && current != context_.primary) {
    if (const int code = find_device(&device, error)) return code;
  }
  is_kept_ = device == context_.device;
  return is_kept_ ? (is_entered_ = true, KMUX_OK) : change(current, error);
}

int ContextScope::enter_primary(kmux_sink error) {
  CUcontext current = nullptr;
  if (const int code = look(&current, error)) return code;
  return change(current, error);
}

int ContextScope::look(CUcontext* current, kmux_sink error) const {
  const CUresult result = driver_.current_get(current);
  return result == CUDA_SUCCESS ? KMUX_OK : fail_call(driver_, error, "cuCtxGetCurrent", result, "%s", "");
}

int ContextScope::find_device(CUdevice* device, kmux_sink error) const {
  const CUresult result = driver_.current_device(device);
  return result == CUDA_SUCCESS ? KMUX_OK : fail_call(driver_, error, "cuCtxGetDevice", result, "%s", "");
}

int ContextScope::change(CUcontext current, kmux_sink error) {
  is_changed_ = current != context_.primary;
  const CUresult result = is_changed_ ? driver_.current_set(context_.primary) : CUDA_SUCCESS;
  is_entered_ = result == CUDA_SUCCESS;
  if (is_entered_) return keep(current), KMUX_OK;
  is_changed_ = false;
  return fail_call(driver_, error, "cuCtxSetCurrent", result, "device %d", context_.ordinal);
}

void ContextScope::keep(CUcontext before) {
  before_ = before;
  if (!is_changed_ || before != nullptr || context_.ordinal != 0 || !context_.may_stay) return;
  is_changed_ = false;
  unsigned long thread = 0;
  const bool is_first = __atomic_compare_exchange_n(&context_.stays_on, &thread, pthread_self(), false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (is_first || thread == pthread_self()) return;
  __atomic_store_n(&context_.stays_on, DeviceContext::kSeveralThreads, __ATOMIC_RELAXED);
}

int ContextScope::restore(int code, kmux_sink error) {
  is_changed_ = false;
  const CUresult result = driver_.current_set(before_);
  if (code != KMUX_OK || result == CUDA_SUCCESS) return code;
  return fail_call(driver_, error, "cuCtxSetCurrent", result, "the context that was current before device %d's",
                   context_.ordinal);
}

int CaptureCalls::exchange_mode(int* mode) const {
  auto exchanged = static_cast<CUstreamCaptureMode>(*mode);
  const CUresult result = driver.exchange_capture_mode(&exchanged);
  *mode = exchanged;
  return result;
}

int CaptureCalls::fail(const char* call, int result, const char* detail, kmux_sink error) const {
  return fail_call(driver, error, call, static_cast<CUresult>(result), "%s", detail);
}

const char* CaptureCalls::name_of(int result) const { return error_name_of(driver, static_cast<CUresult>(result)); }

bool CaptureCalls::says_capturing(int result) { return nvidia::says_capturing(static_cast<CUresult>(result)); }

bool CaptureCalls::forbids_unloading(int result) {
  return says_capturing(result) || result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_DEINITIALIZED ||
         result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace kmux::nvidia
