// Streams have nothing to wait for; events have the time at which they were recorded.
#include <chrono>
#include <utility>

#include "cpu/world.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

// Something of its own that a handle can point to.
template <class Handle>
Handle new_handle() {
  return reinterpret_cast<Handle>(new char);
}
template <class Handle>
void delete_handle(Handle handle) {
  delete reinterpret_cast<char*>(handle);
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

int hipStreamCreateWithFlags(hipStream_t* stream, unsigned) {
  KMUX_BEGIN("hipStreamCreateWithFlags");
  *stream = new_handle<hipStream_t>();
  const std::lock_guard lock(world().mutex);
  world().streams[*stream] = current_device();
  return kHipSuccess;
}

int hipStreamDestroy(hipStream_t stream) {
  const int fault = begin("hipStreamDestroy");
  const std::lock_guard lock(world().mutex);
  if (world().streams.erase(stream) == 0) return kInvalidHandle;
  delete_handle(stream);
  return fault;
}

int hipStreamSynchronize(hipStream_t stream) {
  KMUX_BEGIN("hipStreamSynchronize");
  return check_stream(stream);
}

int hipStreamIsCapturing(hipStream_t stream, int* status) {
  KMUX_BEGIN("hipStreamIsCapturing");
  const std::lock_guard lock(world().mutex);
  *status = stream != nullptr && world().capturing ? kCaptureStatusActive : kCaptureStatusNone;
  return kHipSuccess;
}

int hipStreamGetCaptureInfo(hipStream_t stream, int* status, unsigned long long* id) {
  KMUX_BEGIN("hipStreamGetCaptureInfo");
  const std::lock_guard lock(world().mutex);
  *status = stream != nullptr && world().capturing ? kCaptureStatusActive : kCaptureStatusNone;
  if (*status == kCaptureStatusActive) *id = 1;
  return kHipSuccess;
}

int hipThreadExchangeStreamCaptureMode(int* mode) {
  KMUX_BEGIN("hipThreadExchangeStreamCaptureMode");
  if (*mode < kCaptureModeGlobal || *mode > kCaptureModeRelaxed) return kInvalidValue;
  std::swap(*mode, capture_mode());
  return kHipSuccess;
}

int hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  KMUX_BEGIN("hipStreamWaitEvent");
  if (flags != 0) return kInvalidValue;
  if (const int failure = check_stream(stream)) return failure;
  const std::lock_guard lock(world().mutex);
  return world().events.contains(event) ? kHipSuccess : kInvalidHandle;
}

int hipEventCreate(hipEvent_t* event) {
  KMUX_BEGIN("hipEventCreate");
  *event = new_handle<hipEvent_t>();
  const std::lock_guard lock(world().mutex);
  world().events[*event] = 0;
  return kHipSuccess;
}

int hipEventDestroy(hipEvent_t event) {
  const int fault = begin("hipEventDestroy");
  const std::lock_guard lock(world().mutex);
  if (world().events.erase(event) == 0) return kInvalidHandle;
  delete_handle(event);
  return fault;
}

int hipEventRecord(hipEvent_t event, hipStream_t stream) {
  KMUX_BEGIN("hipEventRecord");
  if (const int failure = check_stream(stream)) return failure;
  const std::lock_guard lock(world().mutex);
  const auto found = world().events.find(event);
  if (found == world().events.end()) return kInvalidHandle;
  found->second = now();
  return kHipSuccess;
}

int hipEventSynchronize(hipEvent_t event) {
  KMUX_BEGIN("hipEventSynchronize");
  const std::lock_guard lock(world().mutex);
  return world().events.contains(event) ? kHipSuccess : kInvalidHandle;
}

int hipEventElapsedTime(float* milliseconds, hipEvent_t first, hipEvent_t second) {
  KMUX_BEGIN("hipEventElapsedTime");
  const std::lock_guard lock(world().mutex);
  const auto begin_at = world().events.find(first);
  const auto end_at = world().events.find(second);
  if (begin_at == world().events.end() || end_at == world().events.end()) return kInvalidHandle;
  if (begin_at->second == 0 || end_at->second == 0) return kInvalidHandle;
  *milliseconds = static_cast<float>(end_at->second - begin_at->second) * 1e-6F;
  return kHipSuccess;
}
