#include "library.h"

#include <cstring>

#include "classes.h"
#include "world.h"

namespace kmux::fake_metal {
namespace {

class Library final : public Object {
 public:
  Library(const Class& isa, std::shared_ptr<Module> from) : Object(isa), module(std::move(from)) {}
  const std::shared_ptr<Module> module;
};

class CompileOptions final : public Object {
 public:
  using Object::Object;
};

class ConstantValues final : public Object {
 public:
  using Object::Object;
  std::vector<MslConstant> values;
};

void fail(Object** error, std::string reason) {
  if (error == nullptr) return;
  Text* const made = make_error(std::move(reason));
  autorelease(made);
  *error = made;
}

void set_fast_math(CompileOptions&, signed char is_on) {
  if (is_on != 0) World::get().complain("setFastMathEnabled: gives up what is infinite or no number");
}
void set_math_mode(CompileOptions&, long mode) {
  if (mode < 0 || mode > 1) World::get().complain("setMathMode: is neither safe nor relaxed");
}
signed char responds_to(CompileOptions&, Selector selector) { return selector == selector_of("setMathMode:") ? 1 : 0; }
void set_language_version(CompileOptions&, Count version) {
  if (version < 0x10000) World::get().complain("setLanguageVersion: is given no version");
}

Object* new_compile_options(Object&) {
  static const Class isa{"MTLCompileOptions",
                         &object_class(),
                         {{selector_of("setFastMathEnabled:"), method<set_fast_math>()},
                          {selector_of("setMathMode:"), method<set_math_mode>()},
                          {selector_of("respondsToSelector:"), method<responds_to>()},
                          {selector_of("setLanguageVersion:"), method<set_language_version>()}}};
  return new CompileOptions(isa);
}

// Source: Apple, MTLDataType.
std::size_t size_of(Count type) {
  switch (type) {
    case 45:
    case 49:
    case 53:
      return 1;  // char, uchar, bool
    case 37:
    case 41:
      return 2;  // short, ushort
    case 3:
    case 29:
    case 33:
      return 4;  // float, int, uint
    case 81:
    case 85:
      return 8;  // long, ulong
    default:
      World::get().complain("setConstantValue: is given a type that is not known");
      return 0;
  }
}

void add_value(ConstantValues& self, const void* bytes, Count type, MslConstant value) {
  std::memcpy(value.bytes.data(), bytes, size_of(type));
  self.values.push_back(std::move(value));
}
void set_constant_at(ConstantValues& self, const void* bytes, Count type, Count index) {
  add_value(self, bytes, type, {"", index});
}
void set_constant_named(ConstantValues& self, const void* bytes, Count type, Text* name) {
  add_value(self, bytes, type, {name->text});
}

Object* new_constant_values(Object&) {
  static const Class isa{"MTLFunctionConstantValues",
                         &object_class(),
                         {{selector_of("setConstantValue:type:atIndex:"), method<set_constant_at>()},
                          {selector_of("setConstantValue:type:withName:"), method<set_constant_named>()}}};
  return new ConstantValues(isa);
}

const Class& function_class() {
  static const Class isa{"MTLFunction", &object_class(), {}};
  return isa;
}

Object* new_function(Library& self, Text* name) {
  if (is_told_to_fail("newFunctionWithName:", nullptr)) return nullptr;
  const MslKernel* const kernel = self.module->find(name->text);
  return kernel == nullptr ? nullptr : new Function(function_class(), self.module, *kernel);
}

Object* new_special_function(Library& self, Text* name, ConstantValues* values, Object** error) {
  if (is_told_to_fail("newFunctionWithName:constantValues:error:", error)) return nullptr;
  const MslKernel* const kernel = self.module->find(name->text);
  if (kernel == nullptr) return fail(error, "there is no function " + name->text), nullptr;
  const auto module = self.module->specialised(values->values);
  if (!module) return fail(error, module.error().message), nullptr;
  return new Function(function_class(), *module, *kernel);
}

Object* make_library(const std::string& msl, Object** error) {
  static const Class isa{"MTLLibrary",
                         &object_class(),
                         {{selector_of("newFunctionWithName:"), method<new_function>()},
                          {selector_of("newFunctionWithName:constantValues:error:"), method<new_special_function>()}}};
  const auto module = Module::compile(msl);
  if (!module) return fail(error, "Compilation failed: \n\n" + module.error().message), nullptr;
  return new Library(isa, *module);
}

Count max_threads(Function& self) { return self.kernel.max_threads; }
Count static_memory(Function& self) { return self.static_memory(); }

Object* class_object(const char* name, void* make) {
  return new Object(*new Class{name, &object_class(), {{selector_of("new"), make}}});
}

}  // namespace

bool is_told_to_fail(const char* selector, Object** error) {
  const auto reason = World::get().failure_of(selector_of(selector));
  if (reason) fail(error, *reason);
  return reason.has_value();
}

Object* compile_options_class() {
  static auto* const object = class_object("MTLCompileOptions class", method<new_compile_options>());
  return object;
}

Object* constant_values_class() {
  static auto* const object = class_object("MTLFunctionConstantValues class", method<new_constant_values>());
  return object;
}

Object* new_library_of_source(DeviceObject&, Text* source, Object*, Object** error) {
  if (is_told_to_fail("newLibraryWithSource:options:error:", error)) return nullptr;
  return make_library(source->text, error);
}

// A binary library of the fake is its magic and an MSL text.
Object* new_library_of_data(DeviceObject&, Text* data, Object** error) {
  if (is_told_to_fail("newLibraryWithData:error:", error)) return nullptr;
  if (!data->text.starts_with("MTLB")) return fail(error, "Invalid library file"), nullptr;
  return make_library(data->text.substr(4), error);
}

Object* new_pipeline(DeviceObject&, Function* function, Object** error) {
  static const Class isa{"MTLComputePipelineState",
                         &object_class(),
                         {{selector_of("maxTotalThreadsPerThreadgroup"), method<max_threads>()},
                          {selector_of("staticThreadgroupMemoryLength"), method<static_memory>()}}};
  if (is_told_to_fail("newComputePipelineStateWithFunction:error:", error)) return nullptr;
  return new Function(isa, function->module, function->kernel);
}

}  // namespace kmux::fake_metal
