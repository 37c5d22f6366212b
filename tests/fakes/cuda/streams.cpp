#include "call.h"

namespace kmux::fake_cuda {
namespace {

const CUstream kLegacy = reinterpret_cast<CUstream>(1);

// The legacy stream waits for every blocking stream, so it cannot be asked while one of them captures.
bool would_join_a_capture(CUstream stream) {
  if (stream != nullptr && stream != kLegacy) return false;
  for (const auto& [other, status] : world().captures) {
    const Stream* found = world().streams.find(other);
    const bool blocking = found != nullptr && (found->flags & CU_STREAM_NON_BLOCKING) == 0;
    if (blocking && status == CU_STREAM_CAPTURE_STATUS_ACTIVE) return true;
  }
  return false;
}

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  Call call("cuStreamCreate", Needs::kContext);
  return call.with(" flags ", flags).run([&] {
    if (flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *stream = world().streams.add({current_device(), flags}));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return Call("cuStreamDestroy_v2", Needs::kInit).with(" ", stream).release([&] {
    world().captures.erase(stream);
    return world().streams.erase(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return Call("cuStreamSynchronize", Needs::kContext).with(" ", stream).run([&] {
    if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    const bool capturing = world().capture_of(stream) != CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult others = world().spoil_captures();
    return capturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : others;
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return Call("cuStreamWaitEvent", Needs::kContext).with(" ", stream, " event ", event, " flags ", flags).run([&] {
    if (world().events.find(event) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return world().check_stream(stream);
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  if (!is_watched()) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return current_device() < 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
  }
  Call call("cuStreamIsCapturing", Needs::kContext);
  return call.with(" ", stream).run([&] {
    if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    if (would_join_a_capture(stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    call.with(" -> ", static_cast<int>(*status = world().capture_of(stream)));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, std::uint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, std::size_t* dependency_count) {
  Call call("cuStreamGetCaptureInfo_v2", Needs::kInit);
  return call.with(" ", stream).run([&] {
    if (would_join_a_capture(stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    call.with(" -> ", static_cast<int>(*status = world().capture_of(stream)));
    if (id != nullptr) *id = reinterpret_cast<std::uintptr_t>(stream);
    if (graph != nullptr) *graph = nullptr;
    if (dependencies != nullptr) *dependencies = nullptr;
    if (dependency_count != nullptr) *dependency_count = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  Call call("cuThreadExchangeStreamCaptureMode", Needs::kInit);
  return call.with(" ", static_cast<int>(*mode)).run([&] {
    if (*mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
      return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", static_cast<int>(*mode = exchange_capture_mode(*mode)));
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
