#include "nvidia/launch/replay.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

constexpr const char* kExchange = "cuThreadExchangeStreamCaptureMode";

}  // namespace

void Replay::use(ReplayNode* nodes, unsigned count) {
  nodes_ = nodes;
  count_ = count;
}

bool Replay::open(const ReplayPlace& place) {
  if (count_ == 0 || place.driver->kernel_parameter == nullptr) return false;
  if (is_bound_elsewhere(place.device)) return false;
  device_ = place.device;
  place_ = place;
  failure_ = {};
  next_step_ = 0;
  kept_ = false;
  for (unsigned i = 0; i < count_; ++i) nodes_[i].leave();
  open_ = true;
  return true;
}

const kmux_allocator* Replay::allocator(const kmux_allocator* inner) {
  if (inner == nullptr) return nullptr;
  inner_ = inner;
  allocator_ = {sizeof(kmux_allocator), this, allocate_workspace, free_workspace};
  return &allocator_;
}

int32_t Replay::allocate_workspace(void* self, int32_t device, void* stream, size_t bytes, size_t alignment,
                                   void** address) {
  const kmux_allocator& inner = *static_cast<Replay*>(self)->inner_;
  return inner.allocate(inner.self, device, stream, bytes, alignment, address);
}

void Replay::free_workspace(void* self, int32_t device, void* stream, void* address) {
  Replay& replay = *static_cast<Replay*>(self);
  replay.flush();
  replay.inner_->free(replay.inner_->self, device, stream, address);
}

bool Replay::takes(const kmux_driver_launch& launch) {
  return takes(launch.step, launch.flags == 0 && launch.window_count == 0);
}

bool Replay::takes(const kmux_driver_fill& fill) { return takes(fill.step, true); }

bool Replay::takes(unsigned step, bool possible) {
  if (open_ && possible && step >= next_step_ && step < count_) return true;
  flush();
  return false;
}

int Replay::keep(const kmux_driver_launch& launch, CUkernel kernel, kmux_sink error) {
  const ReplayFailure failure = nodes_[launch.step].keep(*place_.driver, launch, kernel, &restructure_);
  if (failure.call != nullptr) return report(failure, error);
  next_step_ = launch.step + 1;
  kept_ = true;
  return 0;
}

int Replay::keep(const kmux_driver_fill& fill, kmux_sink) {
  next_step_ = fill.step + 1;
  if (fill.bytes == 0) return 0;
  nodes_[fill.step].keep(fill, &restructure_);
  kept_ = true;
  return 0;
}

int Replay::close(int code, kmux_sink error) {
  if (code == 0) flush();
  open_ = false;
  if (code != 0 || failure_.call == nullptr) return code;
  return report(failure_, error);
}

int Replay::report(const ReplayFailure& failure, kmux_sink error) const {
  return fail_call(*place_.driver, error, failure.call, failure.result, "replaying the body as a graph");
}

void Replay::flush() {
  if (!open_) return;
  open_ = false;
  if (!kept_) return;
  failure_ = update_and_launch();
  // What the executable has heard of is not known any more. That which comes after a failure adds nothing to it.
  if (failure_.call != nullptr) destroy(*place_.driver);
}

ReplayFailure Replay::update_and_launch() {
  ReplayFailure failure;
  if (executable_ != nullptr && !restructure_) failure = update();
  if (failure.call == nullptr && (executable_ == nullptr || restructure_)) failure = build();
  if (failure.call != nullptr) return failure;
  const CUresult result = place_.driver->graph_launch(executable_, place_.stream);
  if (result != CUDA_SUCCESS) return {"cuGraphLaunch", result};
  return {};
}

ReplayFailure Replay::update() {
  for (unsigned i = 0; i < count_ && !restructure_; ++i) {
    const ReplayFailure failure = nodes_[i].apply(*place_.driver, executable_, place_.context, &restructure_);
    if (failure.call != nullptr) return failure;
  }
  return {};
}

// Another thread may be capturing meanwhile: the driver takes this for a wait, which spoils a capture.
ReplayFailure Replay::build() {
  RelaxedCapture relaxed(*place_.driver);
  const CUresult begun = relaxed.begin();
  if (begun != CUDA_SUCCESS) return {kExchange, begun};
  const ReplayFailure failure = build_relaxed();
  const CUresult ended = relaxed.end();
  return failure.call != nullptr || ended == CUDA_SUCCESS ? failure : ReplayFailure{kExchange, ended};
}

// Steps that earlier calls had and this one lacks are in the graph too, disabled, so that it is built once for all.
ReplayFailure Replay::build_relaxed() {
  ReplayFailure failure = destroy_relaxed(*place_.driver);
  if (failure.call != nullptr) return failure;
  device_ = place_.device;
  const CUresult created = place_.driver->graph_create(&graph_, 0);
  if (created != CUDA_SUCCESS) return {"cuGraphCreate", created};
  failure = add_nodes();
  if (failure.call != nullptr) return failure;
  const CUresult result = place_.driver->graph_instantiate(&executable_, graph_, 0);
  if (result != CUDA_SUCCESS) return {"cuGraphInstantiateWithFlags", result};
  restructure_ = false;
  return update();
}

ReplayFailure Replay::add_nodes() {
  CUgraphNode last = nullptr;
  for (unsigned i = 0; i < count_; ++i) {
    const ReplayFailure failure = nodes_[i].add(*place_.driver, graph_, place_.context, &last);
    if (failure.call != nullptr) return failure;
  }
  return {};
}

// As `build`. What cannot be destroyed now is leaked: the caller forgets it.
ReplayFailure Replay::destroy(const DriverTable& driver) {
  if (executable_ == nullptr && graph_ == nullptr) {
    device_ = -1;
    return {};
  }
  RelaxedCapture relaxed(driver);
  const CUresult begun = relaxed.begin();
  const ReplayFailure failure = destroy_relaxed(driver);
  const CUresult ended = relaxed.end();
  if (failure.call != nullptr || (begun == CUDA_SUCCESS && ended == CUDA_SUCCESS)) return failure;
  return {kExchange, begun == CUDA_SUCCESS ? ended : begun};
}

ReplayFailure Replay::destroy_relaxed(const DriverTable& driver) {
  ReplayFailure failure;
  if (executable_ != nullptr) {
    const CUresult result = driver.executable_destroy(executable_);
    if (result != CUDA_SUCCESS) failure = {"cuGraphExecDestroy", result};
  }
  if (graph_ != nullptr) {
    const CUresult result = driver.graph_destroy(graph_);
    if (result != CUDA_SUCCESS && failure.call == nullptr) failure = {"cuGraphDestroy", result};
  }
  executable_ = nullptr;
  graph_ = nullptr;
  device_ = -1;
  return failure;
}

}  // namespace kmux::nvidia
