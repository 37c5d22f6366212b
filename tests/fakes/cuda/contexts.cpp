#include <algorithm>

#include "call.h"
#include "work.h"

namespace kmux::fake_cuda {
namespace {

World::OnDevice& here() { return world().on_device[static_cast<std::size_t>(current_device())]; }

// Source: CUDA Driver API, cuCtxSetLimit: a limit that the device does not have is unsupported.
CUresult check_limit(CUlimit limit) {
  if (limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE) return CUDA_ERROR_INVALID_VALUE;
  const bool has_lines = world().devices[static_cast<std::size_t>(current_device())].max_persisting_l2_bytes > 0;
  return has_lines ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

}  // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  Call call("cuDevicePrimaryCtxRetain", Needs::kInit);
  return call.with(" device ", device).run([&] {
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    ++world().on_device[device].retains;
    call.with(" -> ", *context = context_of(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  finish_everything();
  return Call("cuDevicePrimaryCtxRelease_v2", Needs::kInit).with(" device ", device).release([&] {
    World& w = world();
    if (!w.has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (w.on_device[device].retains == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--w.on_device[device].retains == 0) w.end_context(device);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!is_watched()) return *context = context_of(current_device()), CUDA_SUCCESS;
  Call call("cuCtxGetCurrent", Needs::kInit);
  return call.run([&] {
    call.with(" -> ", *context = context_of(current_device()));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (!is_watched() && context == context_of(current_device())) return CUDA_SUCCESS;
  return Call("cuCtxSetCurrent", Needs::kInit).with(" ", context).run([&] {
    const int device = device_of(context);
    if (context != nullptr && device < 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr && world().on_device[device].retains == 0) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    set_current_device(device);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  Call call("cuCtxGetDevice", Needs::kContext);
  return call.run([&] {
    call.with(" -> ", *device = current_device());
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  Call call("cuCtxGetLimit", Needs::kContext);
  return call.with(" limit ", static_cast<int>(limit)).run([&] {
    if (const CUresult wrong = check_limit(limit); wrong != CUDA_SUCCESS) return wrong;
    call.with(" -> ", *value = here().persisting_limit);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return Call("cuCtxSetLimit", Needs::kContext).with(" limit ", static_cast<int>(limit), " value ", value).run([&] {
    if (const CUresult wrong = check_limit(limit); wrong != CUDA_SUCCESS) return wrong;
    if (const CUresult captured = world().spoil_captures(); captured != CUDA_SUCCESS) return captured;
    const int most = world().devices[current_device()].max_persisting_l2_bytes;
    here().persisting_limit = std::min(value, static_cast<std::size_t>(most));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  // Has no effect on a capture, unlike cuCtxSetLimit (driver_rules on an H200).
  return Call("cuCtxResetPersistingL2Cache", Needs::kContext).run([] { return CUDA_SUCCESS; });
}

}  // namespace kmux::fake_cuda
