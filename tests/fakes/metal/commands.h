#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "library.h"
#include "object.h"

namespace kmux::fake_metal {

/// MTLBuffer over memory that the caller owns.
class Buffer final : public Object {
 public:
  Buffer(const Class& isa, char* first, Count bytes) : Object(isa), memory(first), length(bytes) {}
  char* const memory;
  const Count length;
};

/// MTLCommandQueue: with this many uncompleted command buffers, another one has to wait.
/// Source: Apple, MTLDevice.makeCommandQueue(): 64 of them.
class Queue final : public Object {
 public:
  static constexpr int kMaxCommandBuffers = 64;
  using Object::Object;
  std::atomic<int> uncompleted{0};
};

/// MTLEvent.
class Event final : public Object {
 public:
  using Object::Object;
  std::atomic<unsigned long long> value{0};
};

/// A command of a command buffer. `run` returns the failure, or nothing.
struct Command {
  std::function<std::string()> run;
  std::function<bool()> is_ready = {};  // as a Worker::Command has it
  bool is_of_event = false;             // runs in a command buffer that failed, too
};

/// MTLCommandBuffer: records commands and runs them once it is committed.
class CommandBuffer final : public Object {
 public:
  CommandBuffer(const Class& isa, Queue* on) : Object(isa), queue(on) {}
  Held<Queue> queue;
  std::vector<Held<Object>> uses;  // until it is done
  std::vector<Command> commands;
  std::vector<Handler> handlers;
  bool has_open_encoder = false;
  bool is_committed = false;
  std::atomic<bool> is_done{false};  // read without the lock
  Count status = 0;
  std::string failure;
  std::string failed_with;  // written by the device's thread
  double start_time = 0;
  double end_time = 0;

 protected:
  void dispose() override;
};

Queue* make_queue();
Event* make_event();
CommandBuffer* command_buffer(Queue& self);

}  // namespace kmux::fake_metal
