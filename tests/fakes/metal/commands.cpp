#include "commands.h"

#include <algorithm>
#include <chrono>

#include "classes.h"
#include "encoders.h"
#include "worker.h"
#include "world.h"

namespace kmux::fake_metal {
namespace {

// Source: Apple, MTLCommandBufferStatus.
constexpr Count kCommitted = 2;
constexpr Count kCompleted = 4;
constexpr Count kError = 5;

void complain(const std::string& what) { World::get().complain("MTLCommandBuffer: " + what); }

struct Block {
  void* isa;
  int flags;
  int reserved;
  void (*invoke)(void* self, void* command_buffer);
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The device's thread calls these three.
void begin(CommandBuffer& self) {
  const std::lock_guard guard(lock());
  self.start_time = seconds();
  self.failed_with = World::get().take_command_buffer_failure().value_or("");
}

void run(CommandBuffer& self, const Command& command) {
  if (!self.failed_with.empty() && !command.is_of_event) return;
  const std::string failure = command.run();
  if (self.failed_with.empty()) self.failed_with = failure;
}

void finish(CommandBuffer& self) {
  const std::lock_guard guard(lock());
  self.end_time = seconds();
  self.failure = self.failed_with;
  self.status = self.failure.empty() ? kCompleted : kError;
  for (const Handler handler : self.handlers) static_cast<Block*>(handler)->invoke(handler, &self);
  self.is_done = true;
  self.uses.clear();
  --self.queue->uncompleted;
  self.release();  // the device's reference
}

bool is_global_block(Handler handler) { return (static_cast<const Block*>(handler)->flags & (1 << 28)) != 0; }

void add_completed_handler(CommandBuffer& self, Handler handler) {
  if (self.is_committed) complain("a handler is added after commit");
  if (!is_global_block(handler)) complain("the handler is not a global block");
  self.handlers.push_back(handler);
}

void commit(CommandBuffer& self) {
  if (self.is_committed) return complain("committed twice");
  if (self.has_open_encoder) complain("committed with an encoder that has not ended");
  self.is_committed = true;
  self.status = kCommitted;
  self.retain();
  std::vector<Worker::Command> work;
  work.push_back({[&self] { begin(self); }});
  for (const Command& command : self.commands) {
    work.push_back({[&self, &command] { run(self, command); }, command.is_ready});
  }
  work.push_back({[&self] { finish(self); }});
  Worker::get().add(self.queue.get(), std::move(work));
}

bool takes_event(CommandBuffer& self, Event* event) {
  if (event == nullptr) return complain("the event is nil"), false;
  if (self.is_committed || self.has_open_encoder) {
    return complain("an event is encoded while an encoder is open, or after commit"), false;
  }
  self.uses.push_back(Held<Object>(event));
  return true;
}

void signal_event(CommandBuffer& self, Event* event, unsigned long long value) {
  if (!takes_event(self, event)) return;
  const auto signal = [event, value] {
    const std::lock_guard guard(lock());
    if (event->value >= value) complain("an event is signalled with no larger value");
    event->value = value;
    return std::string();
  };
  self.commands.push_back({signal, {}, true});
}

void wait_for_event(CommandBuffer& self, Event* event, unsigned long long value) {
  if (!takes_event(self, event)) return;
  self.commands.push_back({[] { return std::string(); }, [event, value] { return event->value >= value; }, true});
}

void wait_until_completed(CommandBuffer& self) {
  {
    const std::lock_guard guard(lock());
    if (!self.is_committed) return complain("waited for before it was committed");
  }
  Worker::get().wait([&self] { return self.is_done.load(); });
}

Count status(CommandBuffer& self) { return self.status; }

Object* error(CommandBuffer& self) {
  if (self.failure.empty()) return nullptr;
  Text* const made = make_error(self.failure);
  autorelease(made);
  return made;
}

// Times of a command buffer without work are unspecified.
bool has_work(const CommandBuffer& self) {
  return std::ranges::any_of(self.commands, [](const Command& command) { return !command.is_of_event; });
}

double gpu_start_time(CommandBuffer& self) { return has_work(self) ? self.start_time : 0; }
double gpu_end_time(CommandBuffer& self) { return has_work(self) ? self.end_time : 0; }

}  // namespace

void CommandBuffer::dispose() {
  if (has_open_encoder) complain("released with an encoder that has not ended");
  if (!is_committed) {
    --queue->uncompleted;
    Worker::get().notify();
  }
  // As _Block_release does, which ignores only global blocks.
  for (const Handler handler : handlers) {
    if (!is_global_block(handler)) complain("the handler was gone before the command buffer");
  }
  uses.clear();
  queue.reset();
}

namespace {

CommandBuffer* make_command_buffer(Queue& self) {
  static const Class isa{"MTLCommandBuffer",
                         &object_class(),
                         {{selector_of("addCompletedHandler:"), method<add_completed_handler>()},
                          {selector_of("commit"), method<commit>()},
                          {selector_of("waitUntilCompleted"), unlocked_method<wait_until_completed>()},
                          {selector_of("status"), method<status>()},
                          {selector_of("error"), method<error>()},
                          {selector_of("GPUStartTime"), method<gpu_start_time>()},
                          {selector_of("GPUEndTime"), method<gpu_end_time>()},
                          {selector_of("encodeSignalEvent:value:"), method<signal_event>()},
                          {selector_of("encodeWaitForEvent:value:"), method<wait_for_event>()},
                          {selector_of("computeCommandEncoder"), method<compute_encoder>()},
                          {selector_of("blitCommandEncoder"), method<blit_encoder>()}}};
  auto* const made = new CommandBuffer(isa, &self);
  autorelease(made);
  ++self.uncompleted;
  return made;
}

}  // namespace

// The caller must not hold the lock, since this may wait for the device.
CommandBuffer* command_buffer(Queue& self) {
  const auto may_go_on = [&self] { return self.uncompleted < Queue::kMaxCommandBuffers; };
  while (true) {
    Worker::get().wait(may_go_on);
    const std::lock_guard guard(lock());
    if (may_go_on()) return make_command_buffer(self);
  }
}

Event* make_event() {
  static const Class isa{"MTLEvent", &object_class(), {}};
  return new Event(isa);
}

Queue* make_queue() {
  static const Class isa{
      "MTLCommandQueue", &object_class(), {{selector_of("commandBuffer"), unlocked_method<command_buffer>()}}};
  return new Queue(isa);
}

}  // namespace kmux::fake_metal
