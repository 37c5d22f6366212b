#include "call.h"
#include "waits.h"

namespace kmux::fake_cuda {

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  constexpr unsigned kBlockingSync = 1, kInterprocess = 4;
  Call call("cuEventCreate", Needs::kContext);
  return call.with(" flags ", flags).run([&] {
    const bool is_timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    const bool is_known = (flags & ~(kBlockingSync | CU_EVENT_DISABLE_TIMING | kInterprocess)) == 0;
    const bool shares_time = (flags & kInterprocess) != 0 && is_timed;
    if (event == nullptr || !is_known || shares_time) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *event = world().events.add({current_device(), is_timed}));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return Call("cuEventDestroy_v2", Needs::kInit).with(" ", event).release([&] {
    return world().events.erase(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  Work work;
  return Call("cuEventRecord", Needs::kContext).with(" ", event, " stream ", stream).run([&] {
    Event* found = world().events.find(event);
    if (found == nullptr || found->device != current_device()) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    return record_in(work, stream, event, *found);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  Work work;
  return Call("cuEventSynchronize", Needs::kContext).with(" ", event).run([&] {
    World& w = world();
    const Event* found = w.events.find(event);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult captured = w.spoil_captures(); captured != CUDA_SUCCESS) return captured;
    if (Capture* const capture = w.captures.find(found->capture)) {
      capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      return kCapturedEvent;
    }
    work.wait_for(found->at.recorded);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return Call("cuEventElapsedTime", Needs::kContext).with(" ", begin, " ", end).run([&] {
    const Event* from = world().events.find(begin);
    const Event* to = world().events.find(end);
    if (from == nullptr || to == nullptr || !from->is_recorded || !to->is_recorded) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->is_timed || !to->is_timed) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->recorded || !to->recorded) return CUDA_ERROR_NOT_READY;
    *milliseconds = std::chrono::duration<float, std::milli>(*to->recorded - *from->recorded).count();
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
