#pragma once

#include <memory>
#include <string>

#include "kmux/plugin/plugin.hpp"

#include "arena.h"
#include "completion.h"
#include "objective_c.h"
#include "work_log.h"

namespace kmux::metal {

/// The system's default device with what all of its users share: its memory and its default queue. There is one a
/// backend, made when it is first asked for.
///
/// Threads: any.   Lifetime: waits for all work when it goes.
class Gpu {
 public:
  /// Errors: as `ObjectiveC::open`; unavailable if there is no device.
  static Result<std::shared_ptr<Gpu>> open(const std::string& library);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const ObjectiveC& objc() const { return objc_; }
  Id device() const { return device_.get(); }
  /// A stream is a command queue; null stands for this device's own.
  Id queue_of(void* stream) const { return stream == nullptr ? queue_.get() : stream; }
  Arena& arena() { return *arena_; }
  const Arena& arena() const { return *arena_; }
  Completion& completion() { return *completion_; }
  WorkLog& work_log() { return work_log_; }

  /// Bytes that one threadgroup may have.
  Count max_threadgroup_memory() const { return max_threadgroup_memory_; }

  /// Waits for what was committed to the queue before, and for its handlers.
  ///
  /// Errors: launch_failed with what the device says of a command buffer, of any queue, that failed since the last
  /// time.
  Status wait(Id queue);

 private:
  explicit Gpu(ObjectiveC objc) : objc_(std::move(objc)), work_log_(objc_) {}
  Status create();

  const ObjectiveC objc_;
  Owned device_;
  Owned queue_;
  std::unique_ptr<Completion> completion_;
  std::unique_ptr<Arena> arena_;
  WorkLog work_log_;
  Count max_threadgroup_memory_ = 0;
};

/// ok for device 0, else invalid_argument.
Status check_device(int device);

}  // namespace kmux::metal
