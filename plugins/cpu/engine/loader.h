#pragma once

#include <memory>
#include <span>
#include <string>

#include "kmux/error.h"

namespace kmux::cpu {

/// Code in this process's memory.
///
/// Threads: any.   Lifetime: the destructor runs the code's own clean-up (atexit, static destructors) and frees it.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  /// The function that `load` was asked for.
  void* entry() const { return entry_; }

 protected:
  void* entry_ = nullptr;
};

/// Links relocatable `objects` into this process, runs their initialisers and finds `entry`.
///
/// Errors: unavailable that names the symbols which neither the objects nor the process define, and how to get them;
///         invalid_argument for an object that cannot be linked; launch_failed if an initialiser throws.
Result<std::unique_ptr<LoadedCode>> load_objects(std::span<const std::string> objects, const std::string& entry);

/// Opens the bytes of a shared library and finds `entry`.
///
/// Errors: unavailable with the loader's own text.
Result<std::unique_ptr<LoadedCode>> load_shared_object(const std::string& bytes, const std::string& entry);

}  // namespace kmux::cpu
