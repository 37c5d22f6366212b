#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace kmux::fake_metal {

using Count = unsigned long;     // NSUInteger
using Selector = const char*;    // one address for each name
using Handler = void*;           // a block

/// The methods of a class by selector; other selectors are looked up in `parent`.
struct Class {
  const char* name;
  const Class* parent;
  std::unordered_map<Selector, void*> methods;
};

/// The receiver of a message. Released objects are kept, so that a message to one is detected.
///
/// Threads: under `lock()`, unless a class states otherwise.
class Object {
 public:
  explicit Object(const Class& isa);
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const Class& isa() const { return *isa_; }
  bool is_dead() const { return references_ <= 0; }
  void retain() { ++references_; }
  void release();

 protected:
  /// Releases the references that it owns.
  virtual void dispose() {}

 private:
  const Class* isa_;
  int references_ = 1;
};

/// An owned reference from one object to another.
template <class T>
class Held {
 public:
  Held() = default;
  explicit Held(T* object) : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() { reset(); }
  void reset() {
    if (object_ != nullptr) std::exchange(object_, nullptr)->release();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

/// Returns the unique address of a selector's name.
Selector selector_of(const char* name);

/// Adds a new object to the innermost autorelease pool of this thread.
void autorelease(Object* object);

/// Returns the lock that every method holds, so that one runs at a time.
std::recursive_mutex& lock();

/// The function behind a method: `Function(receiver, arguments...)` with the lock held.
template <auto Function>
struct Method;

template <class Result, class Receiver, class... Arguments, Result (*Function)(Receiver&, Arguments...)>
struct Method<Function> {
  static Result locked(void* self, void*, Arguments... arguments) {
    const std::lock_guard guard(lock());
    return Function(*static_cast<Receiver*>(static_cast<Object*>(self)), arguments...);
  }
  static Result unlocked(void* self, void*, Arguments... arguments) {
    return Function(*static_cast<Receiver*>(static_cast<Object*>(self)), arguments...);
  }
};

template <auto Function>
void* method() {
  return reinterpret_cast<void*>(&Method<Function>::locked);
}
template <auto Function>
void* unlocked_method() {
  return reinterpret_cast<void*>(&Method<Function>::unlocked);
}

}  // namespace kmux::fake_metal
