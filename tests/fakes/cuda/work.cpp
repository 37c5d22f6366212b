#include "work.h"

#include <utility>

namespace kmux::fake_cuda {

Work::~Work() {
  for (const std::function<void()>& each : now_) each();
  if (timeline_ == nullptr) return;
  for (const std::function<void()>& wait : waits_) wait();
  timeline_->progress();
}

Timeline::Operation Work::add(CUstream stream, int device, std::function<void()> note) {
  timeline_ = world().timeline;
  if (timeline_ != nullptr) return timeline_->enqueue(world().lane_of(stream, device), std::move(note));
  now_.push_back(std::move(note));
  return 0;
}

Timeline::Operation Work::add(Operation operation) {
  const CUstream stream = operation.stream;
  const int device = operation.device;
  return add(stream, device, [held = std::move(operation)] { execute(held); });
}

Timeline::Operation Work::add(CUstream stream, int device, std::vector<Operation> steps,
                              const std::vector<std::vector<std::size_t>>& order, Timeline::Operation after) {
  timeline_ = world().timeline;
  std::vector<Timeline::Step> made;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    made.push_back({[held = std::move(steps[i])] { execute(held); }, order[i]});
  }
  if (timeline_ != nullptr) return timeline_->enqueue(world().lane_of(stream, device), std::move(made), after);
  for (Timeline::Step& step : made) now_.push_back(std::move(step.work));
  return 0;
}

void Work::wait_for(Timeline::Operation operation) {
  timeline_ = world().timeline;
  if (timeline_ == nullptr) return;
  waits_.emplace_back([this, operation] { timeline_->synchronize(Timeline::Event{operation}); });
}

void Work::wait_for(CUstream stream, int device) {
  timeline_ = world().timeline;
  if (timeline_ == nullptr) return;
  const Timeline::Stream lane = world().lane_of(stream, device);
  waits_.emplace_back([this, lane] { timeline_->synchronize(lane); });
}

void finish_everything() {
  std::shared_ptr<Timeline> timeline;
  {
    const std::lock_guard lock(world().mutex);
    timeline = world().timeline;
  }
  if (timeline != nullptr) timeline->synchronize();
}

CUresult check_capture(CUstream stream) {
  World& w = world();
  if (w.capture_of(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED) return kCaptureInvalidated;
  if (!w.would_join_a_capture(stream)) return CUDA_SUCCESS;
  for (const CUstream captured : w.captures.active_streams()) {
    if (w.is_blocking(captured)) w.captures.find(captured)->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  }
  return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUgraphNode add_captured(Capture& capture, CUstream stream, Node node) {
  World& w = world();
  std::vector<CUgraphNode>& last = capture.last[stream_key(stream)];
  const CUgraphNode made = w.nodes.add({capture.graph, std::move(node), last});
  w.graphs.find(capture.graph)->nodes.push_back(made);
  last = {made};
  return made;
}

CUresult submit(Work& work, CUstream stream, int device, Node node, Timeline::Operation* given, void* const* args) {
  if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
  if (Capture* const capture = world().captures.find(stream_key(stream))) {
    if (capture->graph != nullptr) add_captured(*capture, stream, std::move(node));
    return CUDA_SUCCESS;
  }
  Operation operation = prepare(std::move(node), stream, device);
  operation.args = args;
  const Timeline::Operation made = work.add(std::move(operation));
  if (given != nullptr) *given = made;
  return CUDA_SUCCESS;
}

}  // namespace kmux::fake_cuda
