#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cpu/world.h"

namespace kmux::fake_hip {

/// What streams record between hipStreamBeginCapture and hipStreamEndCapture, and what is launched as a graph afterwards.
/// A graph holds no code: a module that is unloaded leaves its nodes behind.
struct Capture {
  hipStream_t origin = nullptr;
  int mode = kCaptureModeGlobal;
  unsigned long long id = 0;
  std::thread::id thread = std::this_thread::get_id();
  bool is_invalidated = false;
  std::vector<std::function<int()>> nodes = {};
  std::vector<void*> memory = {};  // what it has allocated
};

// Each of these takes the lock of the world.

/// Runs `work` now, or gives it to the capture of `stream`. Returns what `work` returned, or why the stream takes nothing.
int submit(hipStream_t stream, const std::function<int()>& work);

/// Makes `work` the launch of a kernel's node, with the values that its arguments have now. 0, or why there is none.
int work_of_kernel(const hip::KernelNodeParams& params, std::function<int()>& work);

/// What hipMalloc, hipFree and hipModuleUnload do first: unless the mode of this thread allows it, they invalidate captures.
/// 0, or the code with which the call fails.   Source: ROCm's clr, CHECK_STREAM_CAPTURE_SUPPORTED.
int check_unsafe_call();

/// What hipStreamSynchronize and hipEventSynchronize do first, for the stream that is waited for.
/// Source: ROCm's clr, Stream::StreamCaptureOngoing.
int check_wait(hipStream_t stream);

/// The capture that `stream` records into, or null.
std::shared_ptr<Capture> capture_of(hipStream_t stream);

/// Whether a stream that waits for the null stream is captured on the current device.
/// Source: ROCm's clr, Stream::StreamCaptureBlocking.
bool is_null_stream_blocked();

int begin_capture(hipStream_t stream, int mode);
/// Gives null with an error.
int end_capture(hipStream_t stream, std::shared_ptr<Capture>& graph);

}  // namespace kmux::fake_hip
