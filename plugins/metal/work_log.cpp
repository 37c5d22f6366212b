#include "work_log.h"

#include <algorithm>
#include <new>
#include <utility>

namespace kmux::metal {

std::shared_ptr<const WorkLog::Mark> WorkLog::mark(Id queue) {
  std::shared_ptr<Mark> mark(new Mark, [this](Mark* old) {
    forget(old);
    delete old;
  });
  const std::lock_guard lock(mutex_);
  mark->queue = queue;
  mark->count = count_;
  if (const auto last = last_.find(queue); last != last_.end()) mark->before = hold(last->second);
  marks_.push_back(mark.get());
  marks_taken_.store(marks_.size(), std::memory_order_relaxed);
  return mark;
}

void WorkLog::forget(Mark* mark) {
  const std::lock_guard lock(mutex_);
  std::erase(marks_, mark);
  marks_taken_.store(marks_.size(), std::memory_order_relaxed);
  if (marks_.empty()) last_.clear();
}

WorkLog::Work WorkLog::hold(const Work& work) const {
  return {Owned(objc_, objc_.retain(work.command_buffer.get())), work.number};
}

void WorkLog::write_down(Id queue, Id command_buffer) noexcept try {
  const std::lock_guard lock(mutex_);
  Work& last = last_[queue] = Work{Owned(objc_, objc_.retain(command_buffer)), ++count_};
  for (Mark* const mark : marks_) {
    if (mark->queue == queue && !mark->after.command_buffer) mark->after = hold(last);
  }
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a time is of less work; the work itself goes on
}

double WorkLog::seconds_between(const Mark& begin, const Mark& end) {
  Work first;
  Work last;
  {
    const std::lock_guard lock(mutex_);
    const bool is_between = begin.after.command_buffer && begin.after.number <= end.count &&
                            end.before.command_buffer && end.before.number > begin.count;
    if (!is_between) return -1;
    first = hold(begin.after);
    last = hold(end.before);
  }
  objc_.wait(first.command_buffer.get());
  objc_.wait(last.command_buffer.get());
  return objc_.gpu_end_time(last.command_buffer.get()) - objc_.gpu_start_time(first.command_buffer.get());
}

}  // namespace kmux::metal
