#include "gpu.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <new>
#include <thread>
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

namespace {

constexpr int kBlockIsGlobal = 1 << 28;
constexpr Count kStatusError = 5;  // MTLCommandBufferStatusError

}  // namespace

const Completion::Descriptor Completion::kDescriptor = {0, sizeof(Literal)};

Completion::Completion(const ObjectiveC& objc)
    : objc_(objc), literal_(immortal({objc.global_block_class, kBlockIsGlobal, 0, done, &kDescriptor, this})) {}

// Copies the block to memory that is never freed: forty bytes for each opened device.
Completion::Literal& Completion::immortal(const Literal& literal) {
  static std::mutex& mutex = *new std::mutex;
  static std::deque<Literal>& all = *new std::deque<Literal>;
  const std::lock_guard lock(mutex);
  return all.emplace_back(literal);
}

void Completion::commit(Id command_buffer) noexcept {
  pending_.fetch_add(1, std::memory_order_relaxed);
  objc_.add_completed_handler(command_buffer, &literal_);
  objc_.commit(command_buffer);
}

void Completion::done(Literal* self, Id command_buffer) noexcept { self->owner->finish(command_buffer); }

// Must decrement the count last: a thread that reads 0 may destroy this object.
void Completion::finish(Id command_buffer) noexcept {
  if (objc_.status(command_buffer) == kStatusError) {
    const AutoreleasePool pool(objc_);
    std::string reason = objc_.reason(objc_.failure_of(command_buffer));
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(reason);
  }
  pending_.fetch_sub(1, std::memory_order_release);
}

std::optional<std::string> Completion::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void Completion::drain() const noexcept {
  while (pending_.load(std::memory_order_acquire) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

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
