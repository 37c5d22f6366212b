#pragma once

#include <atomic>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kmux/plugin/plugin.h"

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// The error of a thread's last call, for `get_last_error`. A text that is too long is truncated.
///
/// Threads: one.   Lifetime: that of its thread; all zero is a valid state.
class LastError {
 public:
  /// Forgets the error of the call before.
  void clear() { text_[size_ = 0] = '\0'; }
  /// Returns the error, empty if the call succeeded. Valid until the next call of the thread.
  const char* text() const { return text_; }
  /// Returns a sink that appends to the error.
  kmux_sink sink() { return {this, &LastError::write}; }

 private:
  static int32_t write(void* self, const char* data, size_t size) {
    LastError& error = *static_cast<LastError*>(self);
    const size_t free_bytes = sizeof error.text_ - 1 - error.size_;
    const size_t count = size < free_bytes ? size : free_bytes;
    memcpy(error.text_ + error.size_, data, count);
    error.text_[error.size_ += count] = '\0';
    return 0;
  }

  size_t size_;
  char text_[4096];
};

/// The state of a thread that calls a library without the runtime. All zero is a valid state.
///
/// Threads: one.
struct StandaloneThread {
  /// Returns the lane of the thread's calls. `count` has the number of lanes of the library.
  unsigned lane(std::atomic<unsigned>& count) {
    if (lane_plus_one == 0) lane_plus_one = ++count;
    return lane_plus_one - 1;
  }

  LastError error;  // of the last call
  unsigned lane_plus_one;  // 0: none yet
};

/// Calls a body without the runtime, on the thread's device. Returns 0, or -1 with the error in `thread`.
///
/// `Library` is the library's launcher and has, with the meanings of kmux_plugin_api:
/// - `static int find_device(int* device, kmux_sink error)`: the device that is current on this thread
/// - `static int run(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error)`
/// - `static int prepare(int device, kmux_sink error)`
/// - `static const kmux_allocator* allocator()`: of workspaces
template <class Library>
int call_standalone(StandaloneThread& thread, std::atomic<unsigned>& lanes, const kmux_slot* slots, void* stream) {
  const kmux_sink error = thread.error.sink();
  thread.error.clear();
  int device = 0;
  if (Library::find_device(&device, error) != KMUX_OK) return -1;
  const kmux_launch_env env = {sizeof env, device, stream, Library::allocator(), thread.lane(lanes), 0};
  return Library::run(slots, env, error) == KMUX_OK ? 0 : -1;
}

/// Loads the code for the thread's device. Returns 0, or -1 with the error in `thread`.
template <class Library>
int prepare_standalone(StandaloneThread& thread) {
  thread.error.clear();
  int device = 0;
  if (Library::find_device(&device, thread.error.sink()) != KMUX_OK) return -1;
  return Library::prepare(device, thread.error.sink()) == KMUX_OK ? 0 : -1;
}

}  // namespace kmux
