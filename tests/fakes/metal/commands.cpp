#include "commands.h"

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

// In the device's thread.
void run(CommandBuffer& self) {
  std::string failure;
  {
    const std::lock_guard guard(lock());
    failure = World::get().take_command_buffer_failure().value_or("");
  }
  for (const auto& command : self.commands) {
    if (failure.empty()) failure = command();
  }
  const std::lock_guard guard(lock());
  self.end_time = seconds();
  self.failure = failure;
  self.status = failure.empty() ? kCompleted : kError;
  for (const Handler handler : self.handlers) static_cast<Block*>(handler)->invoke(handler, &self);
  self.is_done = true;
  self.uses.clear();
  self.release();  // the device's
}

void add_completed_handler(CommandBuffer& self, Handler handler) {
  if (self.is_committed) complain("a handler is added after commit");
  if ((static_cast<Block*>(handler)->flags & (1 << 28)) == 0) complain("the handler is no global block");
  self.handlers.push_back(handler);
}

void commit(CommandBuffer& self) {
  if (self.is_committed) return complain("committed twice");
  if (self.has_open_encoder) complain("committed with an encoder that has not ended");
  self.is_committed = true;
  self.status = kCommitted;
  self.retain();
  Worker::get().add([&self] { run(self); });
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

double gpu_end_time(CommandBuffer& self) { return self.end_time; }

}  // namespace

void CommandBuffer::dispose() {
  if (has_open_encoder) complain("released with an encoder that has not ended");
  uses.clear();
  queue.reset();
}

CommandBuffer* command_buffer(Queue& self) {
  static const Class isa{"MTLCommandBuffer",
                         &object_class(),
                         {{selector_of("addCompletedHandler:"), method<add_completed_handler>()},
                          {selector_of("commit"), method<commit>()},
                          {selector_of("waitUntilCompleted"), unlocked_method<wait_until_completed>()},
                          {selector_of("status"), method<status>()},
                          {selector_of("error"), method<error>()},
                          {selector_of("GPUEndTime"), method<gpu_end_time>()},
                          {selector_of("computeCommandEncoder"), method<compute_encoder>()},
                          {selector_of("blitCommandEncoder"), method<blit_encoder>()}}};
  auto* const made = new CommandBuffer(isa, &self);
  autorelease(made);
  return made;
}

Queue* make_queue() {
  static const Class isa{
      "MTLCommandQueue", &object_class(), {{selector_of("commandBuffer"), method<command_buffer>()}}};
  return new Queue(isa);
}

}  // namespace kmux::fake_metal
