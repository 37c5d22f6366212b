#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/plugin.hpp"

#include "arena.h"
#include "objective_c.h"

namespace kmux::metal {

/// Which command buffers with work stand beside the places that times are taken at. The device's times are those of command
/// buffers, and one without work may have none, or run beside those around it: so work itself is timed. While nobody takes
/// times nothing is written down.
///
/// Threads: any.   Lifetime: beyond its marks.
class WorkLog {
 public:
  struct Work {
    Owned command_buffer;
    std::uint64_t number = 0;  // of all that was written down, from 1 on
  };
  /// A place in a queue.
  struct Mark {
    Id queue = nullptr;
    std::uint64_t count = 0;  // of what was written down before it
    Work before = {};  // the last in the queue; none if no times were taken then
    Work after = {};  // the first, once there is one
  };

  explicit WorkLog(const ObjectiveC& objc) : objc_(objc) {}
  WorkLog(const WorkLog&) = delete;
  WorkLog& operator=(const WorkLog&) = delete;

  /// A place after what was committed to `queue`, which is known as long as the result lives.
  std::shared_ptr<const Mark> mark(Id queue);

  /// Writes down that `command_buffer`, which has work, is being committed to `queue`.
  void note(Id queue, Id command_buffer) noexcept {
    if (marks_taken_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      write_down(queue, command_buffer);
  }

  /// Seconds that the device took from the first work after `begin` to the last before `end`, which has been waited for;
  /// negative if there is none between them.
  double seconds_between(const Mark& begin, const Mark& end);

 private:
  void write_down(Id queue, Id command_buffer) noexcept;
  void forget(Mark* mark);
  Work hold(const Work& work) const;

  const ObjectiveC& objc_;
  std::atomic<std::size_t> marks_taken_{0};
  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::map<Id, Work> last_;
  std::vector<Mark*> marks_;
};

/// The handler that every command buffer calls when the device is done with it: counts them, and keeps what the first
/// failed one says. It is a block of Objective-C written by hand, since only Apple's compilers make them.
///
/// Threads: any.   Lifetime: to the last command buffer that has it, see `drain`. The block itself stays for good: Metal reads
///          its flags once more when it lets it go, after the handler has returned.
/// Source: "Block Implementation Specification" of Clang: a global block, which is not copied.
class Completion {
 public:
  explicit Completion(const ObjectiveC& objc);
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Adds the handler to a command buffer and commits that.
  void commit(Id command_buffer) noexcept;
  /// What a command buffer failed with since this was last asked.
  std::optional<std::string> take_failure();
  /// Waits until every command buffer is done.
  void drain() const noexcept;

 private:
  struct Descriptor {
    unsigned long reserved;
    unsigned long size;
  };
  static const Descriptor kDescriptor;
  struct Literal {
    void* isa;
    int flags;
    int reserved;
    void (*invoke)(Literal* self, Id command_buffer) noexcept;
    const Descriptor* descriptor;
    Completion* owner;
  };
  static Literal& immortal(const Literal& literal);
  static void done(Literal* self, Id command_buffer) noexcept;
  void finish(Id command_buffer) noexcept;

  const ObjectiveC& objc_;
  Literal& literal_;
  std::atomic<long> pending_{0};
  std::mutex mutex_;
  std::optional<std::string> failure_;
};

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
