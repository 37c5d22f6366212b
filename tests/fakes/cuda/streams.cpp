#include "call.h"
#include "capture.h"
#include "waits.h"

namespace kmux::fake_cuda {
CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  Call call("cuStreamCreate", Needs::kContext);
  return call.with(" flags ", flags).run([&] {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *stream = world().streams.add({current_device(), flags}));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  Call call("cuStreamCreateWithPriority", Needs::kContext);
  return call.with(" flags ", flags, " priority ", priority).run([&] {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *stream = world().streams.add({current_device(), flags}));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return Call("cuStreamDestroy_v2", Needs::kInit).with(" ", stream).release([&] {
    World& w = world();
    const int device = w.device_of_stream(stream);
    w.captures.end(stream);
    if (const auto lane = w.lanes.find({device, stream}); lane != w.lanes.end()) {
      w.timeline->destroy(lane->second);
      w.lanes.erase(lane);
    }
    return w.streams.erase(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  Work work;
  return Call("cuStreamSynchronize", Needs::kContext).with(" ", stream).run([&] {
    World& w = world();
    if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
    Capture* const capture = w.captures.find(stream_key(stream));
    const CUresult others = w.spoil_captures();
    if (capture != nullptr) capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    if (capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (others == CUDA_SUCCESS) work.wait_for(stream, w.device_of_stream(stream));
    return others;
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return Call("cuStreamWaitEvent", Needs::kContext).with(" ", stream, " event ", event, " flags ", flags).run([&] {
    const Event* found = world().events.find(event);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    constexpr unsigned kExternal = 1;  // for an event outside the capture, which then becomes a node
    const bool is_captured = world().capture_of(stream) != CU_STREAM_CAPTURE_STATUS_NONE;
    if (flags > kExternal) return CUDA_ERROR_INVALID_VALUE;
    if (flags == kExternal && !is_captured) return kIllegalState;  // as observed on an H200
    return wait_in(stream, *found);
  });
}

}  // namespace kmux::fake_cuda
