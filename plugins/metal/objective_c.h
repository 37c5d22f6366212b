#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kmux/error.h"
#include "kmux/plugin/dynamic_library.h"

#include "messages.h"

namespace kmux::metal {

/// The Objective-C runtime and the few C functions of Apple's frameworks, opened at run time: this source requires no
/// header of Apple's and builds on any system.
///
/// Threads: thread-safe, since immutable.
class ObjectiveC {
 public:
  /// Opens the system's libraries, or only the file `library` instead of all of them.
  ///
  /// Errors: unavailable that names the missing library or function; without `library` on other systems than macOS,
  ///         "Metal needs macOS".
  static Result<ObjectiveC> open(const std::string& library);

#define KMUX_METAL_MEMBER(name, signature, selector) Message<signature> name;
  KMUX_METAL_MESSAGES(KMUX_METAL_MEMBER)
#undef KMUX_METAL_MEMBER

  // Classes.
  Id ns_string = nullptr;
  Id compile_options = nullptr;
  Id constant_values = nullptr;

  // Functions.
  Id (*system_default_device)() = nullptr;
  void* (*pool_push)() = nullptr;
  void (*pool_pop)(void*) = nullptr;
  Id (*data_create)(const void*, std::size_t, Id, Id) = nullptr;
  void* global_block_class = nullptr;  // _NSConcreteGlobalBlock

  /// Returns an autoreleased NSString.
  Id string(const std::string& text) const { return string_with_utf8(ns_string, text.c_str()); }
  /// Returns the text of an NSString; empty for nil.
  std::string text(Id string) const;
  /// Returns the text of an NSError; "no reason was given" for nil.
  std::string reason(Id error) const;

 private:
  Status open_system(const std::string& library);
  Status look_up(const DynamicLibrary& runtime, const DynamicLibrary& system, const DynamicLibrary& metal);
  std::vector<DynamicLibrary> libraries_;
};

/// Returns true if this system has Metal.
constexpr bool is_macos() {
#ifdef __APPLE__
  return true;
#else
  return false;
#endif
}

/// An autorelease pool for the messages in the enclosing scope.
class AutoreleasePool {
 public:
  explicit AutoreleasePool(const ObjectiveC& objc) : objc_(objc), pool_(objc.pool_push()) {}
  AutoreleasePool(const AutoreleasePool&) = delete;
  AutoreleasePool& operator=(const AutoreleasePool&) = delete;
  ~AutoreleasePool() { objc_.pool_pop(pool_); }

 private:
  const ObjectiveC& objc_;
  void* pool_;
};

/// Owns an object, for example the result of a method whose name begins with `new`, and releases it. May hold nil.
class Owned {
 public:
  Owned() = default;
  Owned(const ObjectiveC& objc, Id object) : objc_(&objc), object_(object) {}
  Owned(Owned&& other) noexcept : objc_(other.objc_), object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(objc_, other.objc_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) objc_->release(object_);
  }
  Id get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const ObjectiveC* objc_ = nullptr;
  Id object_ = nullptr;
};

}  // namespace kmux::metal
