#pragma once

#include <stdint.h>
#include <string.h>

#include "kmux/plugin/plugin.h"
#include "kmux/plugin/tvm_ffi_abi.h"

#include "plan/printed/call_errors.h"

namespace kmux {

// The state of an exported library for each thread. Only printed: must use C++17 and libc alone.

/// The text of a thread's last failed call, truncated if it is too long. The first piece after `finish` starts a new
/// text, so that calls that succeed touch nothing.
///
/// Threads: one.   Lifetime: that of its thread; all zero is a valid state.
class FailureText {
 public:
  const char* text() const { return text_; }
  /// Returns the sink of this thread's failures, which are written after `prefix`.
  static kmux_sink sink(const char* prefix);

  /// Passes the text to libtvm_ffi, if the process has it.
  void finish(int code) {
    is_open_ = false;
    if (TVMFFIErrorSetRaisedFromCStr == nullptr) return;
    TVMFFIErrorSetRaisedFromCStr(kind_of(code), text_);
  }

  void append(const char* data, size_t size) {
    for (; size > 0; ++data, --size) append(*data);
    text_[size_] = '\0';
  }

  void begin(const char* prefix) {
    if (is_open_) return;
    is_open_ = true;
    size_ = 0;
    append(prefix, strlen(prefix));
  }

 private:
  // The names that the runtime raises through TVM-FFI. An unknown name is a RuntimeError in Python.
  static const char* kind_of(int code) {
    switch (code) {
      case KMUX_INVALID_ARGUMENT:
        return "ValueError";
      case KMUX_UNSUPPORTED:
        return "kmux.unsupported";
      case KMUX_UNAVAILABLE:
        return "kmux.unavailable";
      case KMUX_OUT_OF_MEMORY:
        return "kmux.out_of_memory";
      case KMUX_LAUNCH_FAILED:
        return "kmux.launch_failed";
      default:
        return "kmux.internal";
    }
  }

  void append(char byte) {
    if (size_ + 1 < sizeof text_) text_[size_++] = byte;
  }

  bool is_open_;
  size_t size_;
  char text_[8192];
};

static thread_local FailureText failure_text;

inline kmux_sink FailureText::sink(const char* prefix) {
  return {const_cast<char*>(prefix), [](void* self, const char* data, size_t size) {
            failure_text.begin(static_cast<const char*>(self));
            failure_text.append(data, size);
            return 0;
          }};
}

/// Returns the number of this thread, so that no two threads launch with the same state.
inline uint32_t own_lane() {
  static thread_local uint32_t lane;  // plus one
  static uint32_t count;
  if (lane == 0) lane = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return lane - 1;
}

/// Returns libtvm_ffi's current stream, or the default one.
inline void* current_stream(int device_type, int device) {
  return TVMFFIEnvGetStream == nullptr ? nullptr : TVMFFIEnvGetStream(device_type, device);
}

}  // namespace kmux
