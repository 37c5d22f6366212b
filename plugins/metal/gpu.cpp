#include "gpu.h"

namespace kmux::metal {

Result<std::shared_ptr<Gpu>> Gpu::open(const std::string& library) {
  KMUX_ASSIGN(ObjectiveC objc, ObjectiveC::open(library));
  std::shared_ptr<Gpu> gpu(new Gpu(std::move(objc)));
  KMUX_TRY(gpu->create());
  return gpu;
}

Status Gpu::create() {
  const AutoreleasePool pool(objc_);
  device_ = Owned(objc_, objc_.system_default_device());
  if (device_) queue_ = Owned(objc_, objc_.new_queue(device_.get()));
  if (!queue_) {
    return make_error(ErrorCode::kUnavailable,
                      "Metal has no device here (MTLCreateSystemDefaultDevice gives none). Run the program on a Mac "
                      "with a GPU, not in a session that has none.");
  }
  max_threadgroup_memory_ = objc_.max_threadgroup_memory(device_.get());
  completion_ = std::make_unique<Completion>(objc_);
  KMUX_ASSIGN(arena_, Arena::create(objc_, device_.get()));
  return Ok{};
}

Gpu::~Gpu() {
  if (completion_) completion_->drain();
}

Status Gpu::wait(Id queue) {
  const std::uint64_t time = arena_->now();
  {
    const AutoreleasePool pool(objc_);
    const Id last = objc_.command_buffer(queue);
    completion_->commit(last);
    objc_.wait(last);
  }
  arena_->settle(queue, time);
  if (const auto failure = completion_->take_failure()) {
    return make_error(ErrorCode::kLaunchFailed, "the device could not finish its work (" + *failure +
                                                    "). Check what the kernels read and write.");
  }
  return Ok{};
}

Status check_device(int device) {
  if (device == 0) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "device " + std::to_string(device) +
                                                     " does not exist (backend metal has the system's default device "
                                                     "only). Use 0.");
}

}  // namespace kmux::metal
