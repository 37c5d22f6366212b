#include "cpu/captures.h"

namespace kmux::fake_hip {
namespace {

constexpr int kIllegalState = 401;  // hipErrorIllegalState
constexpr int kStreamCaptureInvalidated = 901;

bool is_own(const Capture& capture) {
  return capture.mode != kCaptureModeRelaxed && capture.thread == std::this_thread::get_id();
}

// The caller must hold the lock.
template <class Condition>
bool invalidate(Condition is_affected) {
  bool any = false;
  for (const auto& [stream, capture] : world().captures) {
    if (!is_affected(*capture)) continue;
    capture->is_invalidated = true;
    any = true;
  }
  return any;
}

bool is_usable(hipStream_t stream) {
  if (stream == nullptr) return true;
  const auto found = world().streams.find(stream);
  return found != world().streams.end() && found->second.device == current_device();
}

std::shared_ptr<Capture> find(hipStream_t stream) {
  const auto found = world().captures.find(stream);
  return found == world().captures.end() ? nullptr : found->second;
}

}  // namespace

int submit(hipStream_t stream, const std::function<int()>& work) {
  {
    const std::lock_guard lock(world().mutex);
    if (!is_usable(stream)) return kInvalidHandle;
    if (const auto capture = find(stream)) {
      if (capture->is_invalidated) return kStreamCaptureInvalidated;
      capture->nodes.push_back(work);
      return kHipSuccess;
    }
  }
  return work();
}

int check_unsafe_call() {
  const std::lock_guard lock(world().mutex);
  if (capture_mode() == kCaptureModeRelaxed) return kHipSuccess;
  if (invalidate(is_own)) return kStreamCaptureUnsupported;
  const bool meets_all = capture_mode() == kCaptureModeGlobal;
  const auto is_global = [](const Capture& capture) { return capture.mode == kCaptureModeGlobal; };
  return meets_all && invalidate(is_global) ? kStreamCaptureUnsupported : kHipSuccess;
}

int check_wait(hipStream_t stream) {
  const std::lock_guard lock(world().mutex);
  if (stream == nullptr) return kHipSuccess;
  if (const auto capture = find(stream)) {
    capture->is_invalidated = true;
    return kStreamCaptureUnsupported;
  }
  if (capture_mode() == kCaptureModeRelaxed) return kHipSuccess;
  const auto is_affected = [](const Capture& capture) { return capture.mode == kCaptureModeGlobal || is_own(capture); };
  return invalidate(is_affected) ? kStreamCaptureUnsupported : kHipSuccess;
}

std::shared_ptr<Capture> capture_of(hipStream_t stream) {
  const std::lock_guard lock(world().mutex);
  return find(stream);
}

bool is_null_stream_blocked() {
  const std::lock_guard lock(world().mutex);
  for (const auto& [stream, capture] : world().captures) {
    const auto found = world().streams.find(stream);
    const bool is_blocking = found != world().streams.end() && (found->second.flags & kStreamNonBlocking) == 0;
    if (is_blocking && !capture->is_invalidated && found->second.device == current_device()) return true;
  }
  return false;
}

int begin_capture(hipStream_t stream, int mode) {
  const std::lock_guard lock(world().mutex);
  if (stream == nullptr) return kStreamCaptureUnsupported;
  if (!is_usable(stream)) return kInvalidHandle;
  if (find(stream) != nullptr) return kIllegalState;
  world().captures[stream] = std::make_shared<Capture>(Capture{stream, mode, ++world().last_capture});
  return kHipSuccess;
}

int end_capture(hipStream_t stream, std::shared_ptr<Capture>& graph) {
  const std::lock_guard lock(world().mutex);
  const auto capture = find(stream);
  if (capture == nullptr || capture->origin != stream) return kIllegalState;
  if (capture->mode != kCaptureModeRelaxed && !is_own(*capture)) return kStreamCaptureWrongThread;
  std::erase_if(world().captures, [&](const auto& entry) { return entry.second == capture; });
  if (capture->is_invalidated) return kStreamCaptureInvalidated;
  graph = capture;
  return kHipSuccess;
}

}  // namespace kmux::fake_hip
