#pragma once

#include <functional>

#include "python_end.h"

namespace kmux::bridge {

/// Hands what was logged until now to the function that the caller's language has set (kmux.set_log), in this thread. What
/// that function throws is dropped.
///
/// The runtime's own sink only keeps the lines: it is called from any thread and under a lock, where a language with a lock
/// of its own, as Python, cannot be entered.
///
/// Errors: an ffi::Error of kind "KeyboardInterrupt" where Python was interrupted while it took a line.
void deliver_log();

/// In this thread nothing is delivered until the next `with_log`: its language has an exception in the air.
void hold_log() noexcept;
void release_log() noexcept;

/// What `body` returns or throws, with the log delivered in between.
template <class Body>
auto with_log(const Body& body) {
  const ReturnGuard guard;
  release_log();
  try {
    auto result = body();
    deliver_log();
    return result;
  } catch (...) {
    deliver_log();
    throw;
  }
}

/// What a caller that waits for a compiler does meanwhile: hands on what was logged, and ends the compilation if its
/// language was interrupted, as Python by Ctrl-C: it throws what says so to TVM-FFI.
///
/// Nothing in other threads than the process's first: there are no interrupts in those, and a language that ends takes them
/// away where they enter it.
std::function<void()> interruption();

}  // namespace kmux::bridge
