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

/// Records the command buffers with work next to timing marks. The device times command buffers, but one without work
/// may have no times, or overlap its neighbours, so the work itself is timed. Records nothing while no marks exist.
///
/// Threads: thread-safe.   Lifetime: must outlive its marks.
class WorkLog {
 public:
  struct Work {
    Owned command_buffer;
    std::uint64_t number = 0;  // in the order of recording, from 1 on
  };
  /// A position in a queue.
  struct Mark {
    Id queue = nullptr;
    std::uint64_t count = 0;  // of work recorded before the mark
    Work before = {};  // the last work in the queue before; empty if none was recorded
    Work after = {};  // the first work after; empty until it is recorded
  };

  explicit WorkLog(const ObjectiveC& objc) : objc_(objc) {}
  WorkLog(const WorkLog&) = delete;
  WorkLog& operator=(const WorkLog&) = delete;

  /// Returns a mark after the work committed to `queue`. The mark is recorded as long as the result lives.
  std::shared_ptr<const Mark> mark(Id queue);

  /// Records the commit of `command_buffer`, which must have work, to `queue`.
  void note(Id queue, Id command_buffer) noexcept {
    if (marks_taken_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      write_down(queue, command_buffer);
  }

  /// Returns the seconds from the start of the first work after `begin` to the end of the last work before `end`.
  /// Blocks until that work is done. Negative if no work is between them.
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

/// The completion handler of every command buffer: counts them, and keeps the error of the first failed one. It is a
/// hand-written Objective-C block, since only Apple's compilers make them.
///
/// Threads: thread-safe.   Lifetime: must outlive every command buffer with the handler, see `drain`. The block is
///          never freed: Metal reads its flags when it releases the block, after the handler has returned.
/// Source: "Block Implementation Specification" of Clang: a global block, which is not copied.
class Completion {
 public:
  explicit Completion(const ObjectiveC& objc);
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Adds the handler to a command buffer and commits that.
  void commit(Id command_buffer) noexcept;
  /// Returns and clears the first failure since the last call.
  std::optional<std::string> take_failure();
  /// Blocks until every command buffer is done.
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

/// The system's default device, and the state that its users share: its memory and its default queue. A backend has
/// one, created on first use.
///
/// Threads: thread-safe.   Lifetime: the destructor blocks until all work is done.
class Gpu {
 public:
  /// Opens the default device. `library` is as in `ObjectiveC::open`.
  ///
  /// Errors: as `ObjectiveC::open`; unavailable without a device.
  static Result<std::shared_ptr<Gpu>> open(const std::string& library);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const ObjectiveC& objc() const { return objc_; }
  Id device() const { return device_.get(); }
  /// Returns the command queue of a stream, which is the stream itself; for null, this device's default queue.
  Id queue_of(void* stream) const { return stream == nullptr ? queue_.get() : stream; }
  Arena& arena() { return *arena_; }
  const Arena& arena() const { return *arena_; }
  Completion& completion() { return *completion_; }
  WorkLog& work_log() { return work_log_; }

  /// Returns the most bytes of memory of one threadgroup.
  Count max_threadgroup_memory() const { return max_threadgroup_memory_; }

  /// Blocks until the work committed to the queue before the call, and its completion handlers, are done. Any stream
  /// may then reuse memory freed on this one.
  ///
  /// Errors: launch_failed with the device's text for the first command buffer, of any queue, that failed since the
  ///         last call.
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

/// Returns ok for device 0, else invalid_argument.
Status check_device(int device);

}  // namespace kmux::metal
