#include "waits.h"

#include <algorithm>
#include <chrono>

namespace kmux::fake_cuda {
namespace {

CUresult invalidate(Capture& capture, CUresult code) {
  capture.status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  return code;
}

// `own` may be null: then the stream joins the capture.
CUresult wait_in_capture(Capture& capture, Capture* own, CUstream stream, const Event& event) {
  if (own != nullptr && own != &capture) return invalidate(capture, kCaptureMerge), invalidate(*own, kCaptureMerge);
  if (capture.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return kCaptureInvalidated;
  if (stream_key(stream) == kLegacyStream) return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  std::vector<CUgraphNode>& last = capture.last[stream_key(stream)];
  for (const CUgraphNode node : event.captured) {
    if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult wait_in(CUstream stream, const Event& event) {
  World& w = world();
  Capture* const own = w.captures.find(stream_key(stream));
  if (Capture* const of_event = w.captures.find(event.capture)) return wait_in_capture(*of_event, own, stream, event);
  if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
  if (own != nullptr) return event.is_recorded ? invalidate(*own, kCaptureIsolation) : CUDA_SUCCESS;
  if (w.timeline == nullptr) return CUDA_SUCCESS;
  w.timeline->wait(w.lane_of(stream, w.device_of_stream(stream)), event.at);
  return CUDA_SUCCESS;
}

CUresult record_in(Work& work, CUstream stream, CUevent handle, Event& event) {
  if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
  World& w = world();
  Capture* const capture = w.captures.find(stream_key(stream));
  event.is_recorded = true;
  event.capture = capture == nullptr ? 0 : capture->id;
  event.captured = capture == nullptr ? std::vector<CUgraphNode>() : capture->last[stream_key(stream)];
  event.recorded.reset();
  if (capture != nullptr && capture->graph != nullptr) return CUDA_SUCCESS;
  const std::uint64_t recording = ++event.recordings;
  event.at.recorded = work.add(stream, w.device_of_stream(stream), [handle, recording] {
    const std::lock_guard lock(world().mutex);
    Event* const found = world().events.find(handle);
    if (found != nullptr && found->recordings == recording) found->recorded = std::chrono::steady_clock::now();
  });
  return CUDA_SUCCESS;
}

}  // namespace kmux::fake_cuda
