#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "lanes.h"
#include "library.h"
#include "object.h"

namespace kmux::fake_metal {

/// MTLBuffer over memory of the caller's.
class Buffer final : public Object {
 public:
  Buffer(const Class& isa, char* first, Count bytes) : Object(isa), memory(first), length(bytes) {}
  char* const memory;
  const Count length;
};

class Queue final : public Object {
 public:
  using Object::Object;
};

/// MTLCommandBuffer: commands are written down and run once it is committed.
class CommandBuffer final : public Object {
 public:
  CommandBuffer(const Class& isa, Queue* on) : Object(isa), queue(on) {}
  Held<Queue> queue;
  std::vector<Held<Object>> uses;  // until it is done
  std::vector<std::function<std::string()>> commands;
  std::vector<Handler> handlers;
  bool has_open_encoder = false;
  bool is_committed = false;
  std::atomic<bool> is_done{false};  // read without the lock
  Count status = 0;
  std::string failure;
  double end_time = 0;

 protected:
  void dispose() override;
};

Queue* make_queue();
CommandBuffer* command_buffer(Queue& self);

}  // namespace kmux::fake_metal
