// Streams never have pending work; events hold the time at which they were recorded.
#include <chrono>
#include <utility>

#include "cpu/captures.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

// Returns a unique object for a handle to point to.
template <class Handle>
Handle new_handle() {
  return reinterpret_cast<Handle>(new char);
}
template <class Handle>
void delete_handle(Handle handle) {
  delete reinterpret_cast<char*>(handle);
}

constexpr int kCapturedEvent = 907;
constexpr int kCaptureStatusInvalidated = 2;

int status_of(const std::shared_ptr<Capture>& capture) {
  if (capture == nullptr) return kCaptureStatusNone;
  return capture->is_invalidated ? kCaptureStatusInvalidated : kCaptureStatusActive;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ReturnCode hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  KMUX_BEGIN("hipStreamCreateWithFlags");
  *stream = new_handle<hipStream_t>();
  const std::lock_guard lock(world().mutex);
  world().streams[*stream] = {current_device(), flags};
  return kHipSuccess;
}

ReturnCode hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int) {
  KMUX_BEGIN("hipStreamCreateWithPriority");
  *stream = new_handle<hipStream_t>();
  const std::lock_guard lock(world().mutex);
  world().streams[*stream] = {current_device(), flags};
  return kHipSuccess;
}

ReturnCode hipStreamDestroy(hipStream_t stream) {
  const int fault = begin("hipStreamDestroy");
  const std::lock_guard lock(world().mutex);
  if (world().streams.erase(stream) == 0) return kInvalidHandle;
  delete_handle(stream);
  return fault;
}

ReturnCode hipStreamSynchronize(hipStream_t stream) {
  KMUX_BEGIN("hipStreamSynchronize");
  if (const int failure = check_wait(stream)) return failure;
  return submit(stream, [] { return kHipSuccess; });
}

ReturnCode hipStreamIsCapturing(hipStream_t stream, int* status) {
  KMUX_BEGIN("hipStreamIsCapturing");
  if (stream == nullptr && is_null_stream_blocked()) return kStreamCaptureImplicit;
  *status = status_of(capture_of(stream));
  return kHipSuccess;
}

ReturnCode hipStreamGetCaptureInfo(hipStream_t stream, int* status, unsigned long long* id) {
  KMUX_BEGIN("hipStreamGetCaptureInfo");
  if (stream == nullptr && is_null_stream_blocked()) return kStreamCaptureImplicit;
  const auto capture = capture_of(stream);
  *status = status_of(capture);
  if (*status == kCaptureStatusActive) *id = capture->id;
  return kHipSuccess;
}

ReturnCode hipThreadExchangeStreamCaptureMode(int* mode) {
  KMUX_BEGIN("hipThreadExchangeStreamCaptureMode");
  if (*mode < kCaptureModeGlobal || *mode > kCaptureModeRelaxed) return kInvalidValue;
  std::swap(*mode, capture_mode());
  return kHipSuccess;
}

// A stream that waits for captured work joins the capture.
ReturnCode hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  KMUX_BEGIN("hipStreamWaitEvent");
  if (flags != 0) return kInvalidValue;
  {
    const std::lock_guard lock(world().mutex);
    const auto found = world().events.find(event);
    if (found == world().events.end()) return kInvalidHandle;
    if (found->second.capture != nullptr && stream != nullptr) world().captures[stream] = found->second.capture;
  }
  return submit(stream, [] { return kHipSuccess; });
}

ReturnCode hipEventCreateWithFlags(hipEvent_t* event, unsigned) {
  KMUX_BEGIN("hipEventCreateWithFlags");
  *event = new_handle<hipEvent_t>();
  const std::lock_guard lock(world().mutex);
  world().events[*event] = {};
  return kHipSuccess;
}

ReturnCode hipEventCreate(hipEvent_t* event) {
  KMUX_BEGIN("hipEventCreate");
  *event = new_handle<hipEvent_t>();
  const std::lock_guard lock(world().mutex);
  world().events[*event] = {};
  return kHipSuccess;
}

ReturnCode hipEventDestroy(hipEvent_t event) {
  const int fault = begin("hipEventDestroy");
  const std::lock_guard lock(world().mutex);
  if (world().events.erase(event) == 0) return kInvalidHandle;
  delete_handle(event);
  return fault;
}

ReturnCode hipEventRecord(hipEvent_t event, hipStream_t stream) {
  KMUX_BEGIN("hipEventRecord");
  const auto capture = capture_of(stream);
  const auto record = [event, stream, capture] {
    const std::lock_guard lock(world().mutex);
    const auto found = world().events.find(event);
    if (found == world().events.end()) return kInvalidHandle;
    found->second = {capture == nullptr ? now() : 0, stream, capture};
    return kHipSuccess;
  };
  if (capture == nullptr) return submit(stream, record);
  const int failure = submit(stream, [] { return kHipSuccess; });
  return failure == kHipSuccess ? record() : failure;
}

ReturnCode hipEventSynchronize(hipEvent_t event) {
  KMUX_BEGIN("hipEventSynchronize");
  hipStream_t stream = nullptr;
  {
    const std::lock_guard lock(world().mutex);
    const auto found = world().events.find(event);
    if (found == world().events.end()) return kInvalidHandle;
    stream = found->second.stream;
    if (world().captures.contains(stream)) {
      world().captures[stream]->is_invalidated = true;
      return kCapturedEvent;
    }
  }
  return check_wait(stream);
}

ReturnCode hipEventElapsedTime(float* milliseconds, hipEvent_t first, hipEvent_t second) {
  KMUX_BEGIN("hipEventElapsedTime");
  const std::lock_guard lock(world().mutex);
  const auto begin_at = world().events.find(first);
  const auto end_at = world().events.find(second);
  if (begin_at == world().events.end() || end_at == world().events.end()) return kInvalidHandle;
  if (begin_at->second.recorded_at == 0 || end_at->second.recorded_at == 0) return kInvalidHandle;
  *milliseconds = static_cast<float>(end_at->second.recorded_at - begin_at->second.recorded_at) * 1e-6F;
  return kHipSuccess;
}
