#include "capture.h"

#include <algorithm>

namespace kmux::fake_cuda {
namespace {

bool is_forbidden(const Capture& capture, CUstreamCaptureMode mode, unsigned thread) {
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (capture.thread == thread) return true;
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

}  // namespace

Capture& Captures::begin(CUstream stream, CUstreamCaptureMode mode, unsigned thread, CUgraph graph) {
  // Ids are unique in the process, also across resets of the fake.
  static std::uint64_t ids = 0;
  Capture& capture = captures_[++ids];
  capture = {ids, mode, thread, CU_STREAM_CAPTURE_STATUS_ACTIVE, graph, stream, {{stream, {}}}};
  return capture;
}

void Captures::end(CUstream stream) {
  std::erase_if(captures_, [&](const auto& entry) { return entry.second.origin == stream; });
}

Capture* Captures::find(CUstream stream) {
  const auto found = std::find_if(captures_.begin(), captures_.end(),
                                  [&](const auto& entry) { return entry.second.last.contains(stream); });
  return found == captures_.end() ? nullptr : &found->second;
}

Capture* Captures::find(std::uint64_t id) {
  const auto found = captures_.find(id);
  return found == captures_.end() ? nullptr : &found->second;
}

CUstreamCaptureStatus Captures::status_of(CUstream stream) {
  const Capture* capture = find(stream);
  return capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE : capture->status;
}

std::vector<CUstream> Captures::active_streams() const {
  std::vector<CUstream> streams;
  for (const auto& [id, capture] : captures_) {
    if (capture.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) continue;
    for (const auto& [stream, last] : capture.last) streams.push_back(stream);
  }
  return streams;
}

CUresult Captures::spoil(CUstreamCaptureMode mode, unsigned thread) {
  CUresult result = CUDA_SUCCESS;
  for (auto& [id, capture] : captures_) {
    if (!is_forbidden(capture, mode, thread)) continue;
    capture.status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

}  // namespace kmux::fake_cuda
