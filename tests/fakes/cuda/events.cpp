#include "call.h"

namespace kmux::fake_cuda {

using Clock = std::chrono::steady_clock;

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  Call call("cuEventCreate", Needs::kContext);
  return call.with(" flags ", flags).run([&] {
    call.with(" -> ", *event = world().events.add({current_device()}));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return Call("cuEventDestroy_v2", Needs::kInit).with(" ", event).release([&] {
    return world().events.erase(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return Call("cuEventRecord", Needs::kContext).with(" ", event, " stream ", stream).run([&] {
    Event* found = world().events.find(event);
    if (found == nullptr || found->device != current_device()) return CUDA_ERROR_INVALID_HANDLE;
    found->recorded = Clock::now();
    return world().check_stream(stream);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return Call("cuEventSynchronize", Needs::kContext).with(" ", event).run([&] {
    return world().events.find(event) == nullptr ? CUDA_ERROR_INVALID_HANDLE : world().spoil_captures();
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return Call("cuEventElapsedTime", Needs::kContext).with(" ", begin, " ", end).run([&] {
    const Event* from = world().events.find(begin);
    const Event* to = world().events.find(end);
    if (from == nullptr || to == nullptr || !from->recorded || !to->recorded) return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = std::chrono::duration<float, std::milli>(*to->recorded - *from->recorded).count();
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
