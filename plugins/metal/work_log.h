#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

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
    Work before = {};  // the last in the queue; none if nobody took times then
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

}  // namespace kmux::metal
