// The exported functions of libobjc and libSystem, and NSObject.
#include <cstddef>
#include <set>
#include <vector>

#include "classes.h"
#include "foundation.h"
#include "world.h"

namespace kmux::fake_metal {
namespace {

thread_local std::vector<std::vector<Object*>> pools;

Object* retain(Object& self) {
  self.retain();
  return &self;
}
void release(Object& self) { self.release(); }

}  // namespace

Selector selector_of(const char* name) {
  static auto* const names = new std::set<std::string>;
  const std::lock_guard guard(lock());
  return names->insert(name).first->c_str();
}

const Class& object_class() {
  static const Class isa{
      "NSObject", nullptr, {{selector_of("retain"), method<retain>()}, {selector_of("release"), method<release>()}}};
  return isa;
}

Object::Object(const Class& isa) : isa_(&isa) {
  const std::lock_guard guard(lock());
  World::get().add(this);
  World::get().count(*this, 1);
}

void Object::release() {
  if (--references_ > 0) return;
  World::get().count(*this, -1);
  dispose();
}

void autorelease(Object* object) {
  if (!pools.empty()) {
    pools.back().push_back(object);
    return;
  }
  World::get().complain(std::string(object->isa().name) + " is autoreleased, and there is no pool");
}

}  // namespace kmux::fake_metal

#define KMUX_EXPORT extern "C" __attribute__((visibility("default")))

namespace fake = kmux::fake_metal;

extern "C" {
__attribute__((visibility("default"))) void* _NSConcreteGlobalBlock[32] = {};
}

KMUX_EXPORT void* sel_registerName(const char* name) { return const_cast<char*>(fake::selector_of(name)); }

KMUX_EXPORT void* objc_getClass(const char* name) { return fake::find_class(name); }

KMUX_EXPORT void* objc_autoreleasePoolPush() {
  fake::pools.emplace_back();
  return reinterpret_cast<void*>(fake::pools.size());
}

KMUX_EXPORT void objc_autoreleasePoolPop(void* pool) {
  const std::lock_guard guard(fake::lock());
  const auto depth = reinterpret_cast<std::size_t>(pool);
  if (depth != fake::pools.size()) fake::World::get().complain("pools are not popped in order");
  while (fake::pools.size() >= depth) {
    const std::vector<fake::Object*> objects = std::move(fake::pools.back());
    fake::pools.pop_back();
    for (fake::Object* object : objects) object->release();
  }
}

KMUX_EXPORT void* dispatch_data_create(const void* bytes, std::size_t size, void*, void* destructor) {
  const std::lock_guard guard(fake::lock());
  if (destructor != nullptr) fake::World::get().complain("dispatch_data_create: only copies are known");
  return fake::make_data(bytes, size);
}
