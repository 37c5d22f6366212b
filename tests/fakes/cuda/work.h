#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "operation.h"

namespace kmux::fake_cuda {

/// The work that a call leaves until the world is unlocked. Must be declared before the `Call`, so that it is destroyed
/// after it. Its destructor executes the operations, or with a timeline makes progress and waits for the operations
/// that the call waits for.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work();

  // The caller must hold the world's lock:

  /// Adds an operation to its stream.
  Timeline::Operation add(Operation operation);
  /// Adds `steps` to a stream, behind `after`; `order` has the indices of earlier steps for each.
  Timeline::Operation add(CUstream stream, int device, std::vector<Operation> steps,
                          const std::vector<std::vector<std::size_t>>& order, Timeline::Operation after);
  /// Adds a note, called with the world unlocked after all earlier operations of the stream were executed.
  Timeline::Operation add(CUstream stream, int device, std::function<void()> note);
  void wait_for(Timeline::Operation operation);
  void wait_for(CUstream stream, int device);

 private:
  std::shared_ptr<Timeline> timeline_;
  std::vector<std::function<void()>> now_;
  std::vector<std::function<void()>> waits_;
};

/// Waits for the pending work of all streams of all devices. The caller must not hold the world's lock.
void finish_everything();

/// Adds `node` to a stream, or to the graph that the stream is captured into. The caller must have checked the stream.
///
/// Errors: kCaptureInvalidated; STREAM_CAPTURE_IMPLICIT on the legacy stream while a blocking one is captured, which
/// invalidates that capture.
CUresult submit(Work& work, CUstream stream, int device, Node node, Timeline::Operation* given = nullptr,
                void* const* args = nullptr);
/// Returns the error that `submit` would return before any effect.
CUresult check_capture(CUstream stream);
/// Adds a node to the graph of a capture, after the last nodes of `stream`.
CUgraphNode add_captured(Capture& capture, CUstream stream, Node node);

}  // namespace kmux::fake_cuda
