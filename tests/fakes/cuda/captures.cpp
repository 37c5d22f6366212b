#include <algorithm>
#include <set>

#include "call.h"

// Symbols that tests resolve and kmux does not call.
extern "C" {
__attribute__((visibility("default"))) kmux::nvidia::CUresult cuStreamBeginCapture_v2(
    kmux::nvidia::CUstream stream, kmux::nvidia::CUstreamCaptureMode mode);
__attribute__((visibility("default"))) kmux::nvidia::CUresult cuStreamEndCapture(kmux::nvidia::CUstream stream,
                                                                                 kmux::nvidia::CUgraph* graph);
}

namespace kmux::fake_cuda {
namespace {

bool is_mode(CUstreamCaptureMode mode) {
  return mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

std::set<CUgraphNode> all_before(const std::vector<CUgraphNode>& last) {
  std::set<CUgraphNode> seen;
  std::vector<CUgraphNode> open = last;
  while (!open.empty()) {
    const CUgraphNode next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const std::vector<CUgraphNode>& after = world().nodes.find(next)->after;
    open.insert(open.end(), after.begin(), after.end());
  }
  return seen;
}

// Returns true if the origin stream waits for all operations of the other streams.
bool is_joined(const Capture& capture) {
  const std::set<CUgraphNode> joined = all_before(capture.last.at(capture.origin));
  for (const auto& [stream, last] : capture.last) {
    const bool all = std::all_of(last.begin(), last.end(), [&](CUgraphNode node) { return joined.contains(node); });
    if (!all) return false;
  }
  return true;
}

// Ending a capture on a stream other than its origin invalidates it; ending it on another thread ends it without a
// graph.
CUresult check_end(Capture& capture, CUstream stream) {
  if (capture.origin != stream_key(stream)) {
    capture.status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return kCaptureUnmatched;
  }
  const bool any_thread = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.thread == 0;
  if (any_thread || capture.thread == thread_number()) return CUDA_SUCCESS;
  world().captures.end(stream_key(stream));
  watch();
  return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

// Ends the capture. Returns its graph if it is valid.
CUresult end_capture(Capture& capture, CUgraph* graph) {
  CUresult result = CUDA_SUCCESS;
  if (capture.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) result = kCaptureInvalidated;
  if (result == CUDA_SUCCESS && capture.graph != nullptr && !is_joined(capture)) result = kCaptureUnjoined;
  *graph = result == CUDA_SUCCESS ? capture.graph : nullptr;
  if (result != CUDA_SUCCESS && capture.graph != nullptr) world().graphs.erase(capture.graph);
  world().captures.end(capture.origin);
  watch();
  return result;
}

}  // namespace

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  // The legacy stream needs the current context; other streams have their context.
  const bool lacks_context = stream_key(stream) == kLegacyStream && current_device() < 0;
  if (!is_watched() && !lacks_context) return *status = CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
  Call call("cuStreamIsCapturing", Needs::kInit);
  return call.with(" ", stream).run([&] {
    World& w = world();
    if (w.poison != CUDA_SUCCESS) return w.poison;
    if (const CUresult wrong = w.check_any_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    if (lacks_context) return CUDA_ERROR_INVALID_CONTEXT;
    if (w.would_join_a_capture(stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    call.with(" -> ", static_cast<int>(*status = w.capture_of(stream)));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, std::uint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, std::size_t* dependency_count) {
  Call call("cuStreamGetCaptureInfo_v2", Needs::kInit);
  return call.with(" ", stream).run([&] {
    World& w = world();
    if (w.poison != CUDA_SUCCESS) return w.poison;
    if (const CUresult wrong = w.check_any_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    if (w.would_join_a_capture(stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    call.with(" -> ", static_cast<int>(*status = w.capture_of(stream)));
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    const Capture& capture = *w.captures.find(stream_key(stream));
    const std::vector<CUgraphNode>& last = capture.last.at(stream_key(stream));
    if (id != nullptr) *id = capture.id;
    if (graph != nullptr) *graph = capture.graph;
    if (dependencies != nullptr) *dependencies = last.data();
    if (dependency_count != nullptr) *dependency_count = last.size();
    return CUDA_SUCCESS;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  Call call("cuThreadExchangeStreamCaptureMode", Needs::kInit);
  return call.with(" ", static_cast<int>(*mode)).run([&] {
    if (!is_mode(*mode)) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", static_cast<int>(*mode = exchange_capture_mode(*mode)));
    return CUDA_SUCCESS;
  });
}

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  return Call("cuStreamBeginCapture_v2", Needs::kContext).with(" ", stream, " mode ", static_cast<int>(mode)).run([&] {
    World& w = world();
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    if (stream_key(stream) == kLegacyStream) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (w.captures.find(stream_key(stream)) != nullptr) return kIllegalState;
    w.captures.begin(stream_key(stream), mode, thread_number(), w.graphs.add({}));
    watch();
    return CUDA_SUCCESS;
  });
}

CUresult end_capture(CUstream stream, CUgraph* graph) {
  Call call("cuStreamEndCapture", Needs::kContext);
  return call.with(" ", stream).run([&] {
    World& w = world();
    if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    Capture* const capture = w.captures.find(stream_key(stream));
    if (capture == nullptr) return kIllegalState;
    if (const CUresult wrong = check_end(*capture, stream); wrong != CUDA_SUCCESS) return wrong;
    const CUresult result = end_capture(*capture, graph);
    if (result == CUDA_SUCCESS) call.with(" -> ", *graph);
    return result;
  });
}

}  // namespace kmux::fake_cuda

kmux::nvidia::CUresult cuStreamBeginCapture_v2(kmux::nvidia::CUstream stream, kmux::nvidia::CUstreamCaptureMode mode) {
  return kmux::fake_cuda::begin_capture(stream, mode);
}

kmux::nvidia::CUresult cuStreamEndCapture(kmux::nvidia::CUstream stream, kmux::nvidia::CUgraph* graph) {
  return kmux::fake_cuda::end_capture(stream, graph);
}
