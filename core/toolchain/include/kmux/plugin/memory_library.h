#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kmux/error.h"
#include "kmux/plugin/descriptor.h"

namespace kmux {

/// A shared library of this process whose file is in memory: an instance of its own, even of equal bytes.
///
/// Threads: any.   Lifetime: closed with the object. What the dynamic linker does not unload then (a library with symbols
///          that are unique in the process, or with destructors of threads to run) is never taken for a later one.
class MemoryLibrary {
 public:
  /// `what` it is in a word, for the message and for /proc/PID/maps: "kernel" is "memfd:kmux-kernel" there.
  ///
  /// Errors: unavailable with the loader's own text.
  static Result<MemoryLibrary> open(std::string_view bytes, const std::string& what);

  /// The address of `name`, or null.
  void* symbol(const std::string& name) const;

 private:
  struct Closing {
    void operator()(void* handle) const;
  };
  MemoryLibrary(Descriptor file, void* handle) : file_(std::move(file)), handle_(handle) {}
  Descriptor file_;  // open as long as the library, so that no other one has its number
  std::unique_ptr<void, Closing> handle_;
};

}  // namespace kmux
