#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "operation.h"

namespace kmux::fake_cuda {

/// What a call leaves to be done after the world is unlocked. Declared before the `Call`, so that it ends after it: then it
/// executes what it got, or where there is a timeline lets that progress and waits for what the call has to wait for.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work();

  // With the world locked:

  /// Gives an operation to its stream.
  Timeline::Operation add(Operation operation);
  /// Gives `steps` to a stream, behind `after`; `order` has indices of earlier ones for each.
  Timeline::Operation add(CUstream stream, int device, std::vector<Operation> steps,
                          const std::vector<std::vector<std::size_t>>& order, Timeline::Operation after);
  /// `note` is called when everything before it in the stream was executed, with the world unlocked.
  Timeline::Operation add(CUstream stream, int device, std::function<void()> note);
  void wait_for(Timeline::Operation operation);
  void wait_for(CUstream stream, int device);

 private:
  std::shared_ptr<Timeline> timeline_;
  std::vector<std::function<void()>> now_;
  std::vector<std::function<void()>> waits_;
};

/// Waits for everything that streams of any device have got. With the world unlocked.
void finish_everything();

/// Gives `node` to a stream that was checked, or adds it to the graph that the stream is captured into.
///
/// Errors: kCaptureInvalidated; STREAM_CAPTURE_IMPLICIT on the legacy stream while a blocking one is captured, which
/// invalidates that capture.
CUresult submit(Work& work, CUstream stream, int device, Node node, Timeline::Operation* given = nullptr,
                void* const* args = nullptr);
/// What `submit` returns before it does anything.
CUresult check_capture(CUstream stream);
/// Adds a node to the graph of a capture, after the last ones of `stream`.
CUgraphNode add_captured(Capture& capture, CUstream stream, Node node);

}  // namespace kmux::fake_cuda
