// MTLCreateSystemDefaultDevice and MTLDevice.
#include "classes.h"
#include "commands.h"
#include "foundation.h"
#include "library.h"
#include "world.h"

namespace kmux::fake_metal {

class DeviceObject final : public Object {
 public:
  DeviceObject(const Class& isa, Device device) : Object(isa), facts(std::move(device)) {}
  const Device facts;
  Count allocated_bytes = 0;
};

namespace {

constexpr Count kPage = 16384;  // Apple's

Object* name(DeviceObject& self) {
  Text* const string = make_string(self.facts.name);
  autorelease(string);
  return string;
}
Count threadgroup_memory(DeviceObject& self) { return self.facts.threadgroup_memory_bytes; }
unsigned long long working_set_bytes(DeviceObject& self) { return self.facts.working_set_bytes; }
Count allocated_bytes(DeviceObject& self) { return self.allocated_bytes; }

Object* new_queue(DeviceObject&) { return is_told_to_fail("newCommandQueue", nullptr) ? nullptr : make_queue(); }

Object* new_event(DeviceObject&) { return is_told_to_fail("newEvent", nullptr) ? nullptr : make_event(); }

Object* new_buffer(DeviceObject& self, char* memory, Count length, Count options, Object* deallocator) {
  static const Class isa{"MTLBuffer", &object_class(), {}};
  World& world = World::get();
  if (is_told_to_fail("newBufferWithBytesNoCopy:length:options:deallocator:", nullptr)) return nullptr;
  if (reinterpret_cast<Count>(memory) % kPage != 0 || length % kPage != 0 || length == 0) {
    return world.complain("newBufferWithBytesNoCopy: memory that is no whole pages"), nullptr;
  }
  if (options != 0 || deallocator != nullptr) world.complain("newBufferWithBytesNoCopy: options that are not known");
  self.allocated_bytes += length;
  return new Buffer(isa, memory, length);
}

Object* make_device(const Device& facts) {
  static const Class isa{"MTLDevice",
                         &object_class(),
                         {{selector_of("name"), method<name>()},
                          {selector_of("maxThreadgroupMemoryLength"), method<threadgroup_memory>()},
                          {selector_of("recommendedMaxWorkingSetSize"), method<working_set_bytes>()},
                          {selector_of("currentAllocatedSize"), method<allocated_bytes>()},
                          {selector_of("newCommandQueue"), method<new_queue>()},
                          {selector_of("newEvent"), method<new_event>()},
                          {selector_of("newBufferWithBytesNoCopy:length:options:deallocator:"), method<new_buffer>()},
                          {selector_of("newLibraryWithSource:options:error:"), method<new_library_of_source>()},
                          {selector_of("newLibraryWithData:error:"), method<new_library_of_data>()},
                          {selector_of("newComputePipelineStateWithFunction:error:"), method<new_pipeline>()}}};
  return new DeviceObject(isa, facts);
}

}  // namespace
}  // namespace kmux::fake_metal

extern "C" __attribute__((visibility("default"))) void* MTLCreateSystemDefaultDevice() {
  namespace fake = kmux::fake_metal;
  const std::lock_guard guard(fake::lock());
  const fake::Device* const facts = fake::World::get().device();
  return facts == nullptr ? nullptr : fake::make_device(*facts);
}
