#include "encoders.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "classes.h"
#include "world.h"

namespace kmux::fake_metal {
namespace {

// Source: Metal Feature Set Tables.
constexpr Count kMaxBuffers = 31;
constexpr Count kMaxBytes = 4096;
constexpr Count kMemoryStep = 16;

struct Size {  // MTLSize
  Count width;
  Count height;
  Count depth;
};

struct Range {  // NSRange
  Count location;
  Count length;
};

class Encoder final : public Object {
 public:
  Encoder(const Class& isa, CommandBuffer& of) : Object(isa), owner(&of) {}
  struct Binding {
    Buffer* buffer = nullptr;
    Count offset = 0;
    std::vector<char> bytes = {};
  };
  Held<CommandBuffer> owner;
  Held<Function> pipeline;
  std::map<Count, Binding> bindings;
  std::map<Count, Count> memory;
  bool has_ended = false;

 protected:
  void dispose() override {
    if (!has_ended) World::get().complain(std::string(isa().name) + ": released before endEncoding");
    pipeline.reset();
    owner.reset();
  }
};

bool complain(const Encoder& self, const std::string& what) {
  World::get().complain(std::string(self.isa().name) + ": " + what);
  return false;
}

bool is_open(const Encoder& self) { return !self.has_ended || complain(self, "used after endEncoding"); }

void end_encoding(Encoder& self) {
  if (!is_open(self)) return;
  self.has_ended = true;
  self.owner->has_open_encoder = false;
}

void set_pipeline(Encoder& self, Function* pipeline) {
  if (pipeline == nullptr) return void(complain(self, "the pipeline is nil"));
  if (is_open(self)) self.pipeline = Held<Function>(pipeline);
}

bool is_index(const Encoder& self, Count index) {
  return index < kMaxBuffers || complain(self, "buffer index " + std::to_string(index) + " is too large");
}

void set_buffer(Encoder& self, Buffer* buffer, Count offset, Count index) {
  if (!is_open(self) || !is_index(self, index)) return;
  if (buffer != nullptr && offset > buffer->length) complain(self, "an offset lies outside of its buffer");
  if (buffer != nullptr && !buffer->is_dead()) self.owner->uses.push_back(Held<Object>(buffer));
  self.bindings[index] = {buffer, offset};
}

void set_bytes(Encoder& self, const void* bytes, Count length, Count index) {
  if (!is_open(self) || !is_index(self, index)) return;
  if (length == 0 || length > kMaxBytes) complain(self, "setBytes of " + std::to_string(length) + " bytes");
  const auto* const first = static_cast<const char*>(bytes);
  self.bindings[index] = {nullptr, 0, std::vector<char>(first, first + length)};
}

void set_memory(Encoder& self, Count length, Count index) {
  if (!is_open(self)) return;
  if (length % kMemoryStep != 0) complain(self, "threadgroup memory is not a multiple of 16 bytes");
  self.memory[index] = length;
}

// Checks a dispatch as Metal's validation does.
bool check_dispatch(const Encoder& self, Size groups, Size threads) {
  if (!is_open(self)) return false;
  if (!self.pipeline) return complain(self, "dispatched without a pipeline");
  if (groups.width * groups.height * groups.depth == 0) return complain(self, "a grid without threadgroups");
  const Count in_group = threads.width * threads.height * threads.depth;
  if (in_group == 0 || in_group > self.pipeline->kernel.max_threads) {
    return complain(self, std::to_string(in_group) + " threads in a threadgroup");
  }
  Count bytes = self.pipeline->static_memory();
  for (const auto& [index, length] : self.memory) bytes += length;
  if (bytes > World::get().device()->threadgroup_memory_bytes) return complain(self, "too much threadgroup memory");
  for (const MslKernel::Argument& argument : self.pipeline->kernel.arguments) {
    const bool is_bound = argument.attribute == "threadgroup" ? self.memory.contains(argument.index)
                                                              : self.bindings.contains(argument.index);
    if ((argument.attribute == "buffer" || argument.attribute == "threadgroup") && !is_bound) {
      return complain(self, argument.attribute + " " + std::to_string(argument.index) + " is not bound");
    }
  }
  return true;
}

std::array<unsigned, 3> extents(Size size) {
  return {static_cast<unsigned>(size.width), static_cast<unsigned>(size.height), static_cast<unsigned>(size.depth)};
}

void dispatch(Encoder& self, Size groups, Size threads) {
  if (!check_dispatch(self, groups, threads)) return;
  const auto bytes = std::make_shared<std::vector<std::vector<char>>>();
  Bindings bound{std::vector<void*>(kMaxBuffers), {}, extents(groups), extents(threads)};
  for (const auto& [index, binding] : self.bindings) {
    void* address = binding.buffer == nullptr ? nullptr : binding.buffer->memory + binding.offset;
    if (!binding.bytes.empty()) {
      bytes->push_back(binding.bytes);
      address = bytes->back().data();
    }
    bound.buffers[index] = address;
  }
  for (const auto& [index, length] : self.memory) {
    bound.threadgroup_bytes.resize(std::max<std::size_t>(bound.threadgroup_bytes.size(), index + 1));
    bound.threadgroup_bytes[index] = length;
  }
  self.owner->uses.push_back(Held<Object>(self.pipeline.get()));
  self.owner->commands.push_back({[module = self.pipeline->module, name = self.pipeline->kernel.name,
                                   bound = std::move(bound), bytes] { return module->run(name, bound); }});
}

bool is_inside(const Encoder& self, const Buffer* buffer, Count offset, Count length) {
  if (buffer == nullptr) return complain(self, "the buffer is nil");
  const bool inside = offset <= buffer->length && length <= buffer->length - offset;
  return inside || complain(self, "a range lies outside of its buffer");
}

void fill_buffer(Encoder& self, Buffer* buffer, Range range, unsigned char value) {
  if (!is_open(self) || !is_inside(self, buffer, range.location, range.length)) return;
  if (range.length == 0 || range.location % 4 != 0 || range.length % 4 != 0) {
    complain(self, "a fill of " + std::to_string(range.length) + " bytes at " + std::to_string(range.location));
    return;
  }
  self.owner->uses.push_back(Held<Object>(buffer));
  self.owner->commands.push_back({[to = buffer->memory + range.location, range, value] {
    std::memset(to, value, range.length);
    return std::string();
  }});
}

void copy_buffer(Encoder& self, Buffer* source, Count source_offset, Buffer* target, Count target_offset,
                 Count length) {
  const bool fits =
      is_open(self) && is_inside(self, source, source_offset, length) && is_inside(self, target, target_offset, length);
  if (!fits) return;
  // Source: Apple, copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:, for macOS.
  if (length == 0 || source_offset % 4 != 0 || target_offset % 4 != 0 || length % 4 != 0) {
    complain(self, "a copy of " + std::to_string(length) + " bytes from " + std::to_string(source_offset) + " to " +
                       std::to_string(target_offset));
    return;
  }
  self.owner->uses.push_back(Held<Object>(source));
  self.owner->uses.push_back(Held<Object>(target));
  self.owner->commands.push_back({[from = source->memory + source_offset, to = target->memory + target_offset, length] {
    std::memmove(to, from, length);
    return std::string();
  }});
}

Object* make_encoder(CommandBuffer& owner, const Class& isa) {
  if (owner.has_open_encoder || owner.is_committed) {
    World::get().complain("MTLCommandBuffer: an encoder while another one is open, or after commit");
  }
  owner.has_open_encoder = true;
  auto* const encoder = new Encoder(isa, owner);
  autorelease(encoder);
  return encoder;
}

}  // namespace

Object* compute_encoder(CommandBuffer& self) {
  static const Class isa{"MTLComputeCommandEncoder",
                         &object_class(),
                         {{selector_of("setComputePipelineState:"), method<set_pipeline>()},
                          {selector_of("setBuffer:offset:atIndex:"), method<set_buffer>()},
                          {selector_of("setBytes:length:atIndex:"), method<set_bytes>()},
                          {selector_of("setThreadgroupMemoryLength:atIndex:"), method<set_memory>()},
                          {selector_of("dispatchThreadgroups:threadsPerThreadgroup:"), method<dispatch>()},
                          {selector_of("endEncoding"), method<end_encoding>()}}};
  return make_encoder(self, isa);
}

Object* blit_encoder(CommandBuffer& self) {
  static const Class isa{
      "MTLBlitCommandEncoder",
      &object_class(),
      {{selector_of("fillBuffer:range:value:"), method<fill_buffer>()},
       {selector_of("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"), method<copy_buffer>()},
       {selector_of("endEncoding"), method<end_encoding>()}}};
  return make_encoder(self, isa);
}

}  // namespace kmux::fake_metal
