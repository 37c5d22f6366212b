#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cpu/world.h"

namespace kmux::fake_hip {

/// The nodes that streams record between hipStreamBeginCapture and hipStreamEndCapture, later launched as a graph. A
/// graph owns no code: an unloaded module leaves its nodes behind.
struct Capture {
  hipStream_t origin = nullptr;
  int mode = kCaptureModeGlobal;
  unsigned long long id = 0;
  std::thread::id thread = std::this_thread::get_id();
  bool is_invalidated = false;
  std::vector<std::function<int()>> nodes = {};
  std::vector<void*> memory = {};  // allocated by the capture
};

// Each of these takes the lock of the world.

/// Runs `work` now, or adds it to the capture of `stream`. Returns the result of `work`, or the error of the capture.
int submit(hipStream_t stream, const std::function<int()>& work);

/// Sets `work` to the launch of a kernel node, with the current values of its arguments. Returns 0, or why it is
/// invalid.
int work_of_kernel(const hip::KernelNodeParams& params, std::function<int()>& work);

/// Invalidates captures unless the mode of this thread allows unsafe calls. hipMalloc, hipFree and hipModuleUnload call
/// it first.
/// Returns 0, or the error code of the call.   Source: ROCm's clr, CHECK_STREAM_CAPTURE_SUPPORTED.
int check_unsafe_call();

/// Checks a wait for `stream`. hipStreamSynchronize and hipEventSynchronize call it first.
/// Source: ROCm's clr, Stream::StreamCaptureOngoing.
int check_wait(hipStream_t stream);

/// Returns the capture that `stream` records into, or null.
std::shared_ptr<Capture> capture_of(hipStream_t stream);

/// Returns true if a stream that waits for the null stream is captured on the current device.
/// Source: ROCm's clr, Stream::StreamCaptureBlocking.
bool is_null_stream_blocked();

int begin_capture(hipStream_t stream, int mode);
/// Ends a capture; `graph` is null with an error.
int end_capture(hipStream_t stream, std::shared_ptr<Capture>& graph);

}  // namespace kmux::fake_hip
