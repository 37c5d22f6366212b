#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation.h"
#include "module.h"
#include "object.h"

namespace kmux::fake_metal {

/// MTLFunction, and the MTLComputePipelineState of one.
class Function final : public Object {
 public:
  Function(const Class& isa, std::shared_ptr<Module> from, MslKernel declared)
      : Object(isa), module(std::move(from)), kernel(std::move(declared)) {}
  const std::shared_ptr<Module> module;
  const MslKernel kernel;
  /// Returns the bytes of threadgroup memory that the kernel declares.
  Count static_memory() const { return module->static_memory_of(kernel.name); }
};

/// Return the objects that receive `new`.
Object* compile_options_class();
Object* constant_values_class();

// Methods of MTLDevice.
class DeviceObject;
Object* new_library_of_source(DeviceObject& self, Text* source, Object* options, Object** error);
Object* new_library_of_data(DeviceObject& self, Text* data, Object** error);
Object* new_pipeline(DeviceObject& self, Function* function, Object** error);

/// Returns true and the NSError if the method was set to fail.
bool is_told_to_fail(const char* selector, Object** error);

}  // namespace kmux::fake_metal
