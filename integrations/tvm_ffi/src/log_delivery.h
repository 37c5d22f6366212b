#pragma once

#include <functional>

#include "python_end.h"

namespace kmux::bridge {

/// Passes the queued log lines to the function that the caller's language has set (kmux.set_log), in this thread. Drops
/// exceptions of that function.
///
/// The runtime's sink only queues lines: it is called from any thread and under a lock. A language with a global lock,
/// such as Python, must not be entered there.
///
/// Errors: an ffi::Error of kind "KeyboardInterrupt" if Python was interrupted while it took a line.
void deliver_log();

/// Delivers the log again in this thread, after an interruption has stopped it: its language's exception has been
/// raised.
void release_log() noexcept;

/// Throws if this thread's language has a pending exception, of an interruption since the last `release_log`.
///
/// Errors: ::tvm::ffi::EnvErrorAlreadySet.
void throw_pending();

/// Calls `body`, delivers the log, and returns the result of `body` or rethrows its exception.
template <class Body>
auto with_log(const Body& body) {
  const ReturnGuard guard;
  release_log();
  try {
    auto result = body();
    throw_pending();
    deliver_log();
    return result;
  } catch (...) {
    deliver_log();
    throw;
  }
}

/// Returns the callback that a caller polls while it waits for a compiler. It delivers the log, and cancels the
/// compilation by an exception of TVM-FFI if the language was interrupted, as Python is by Ctrl-C.
///
/// Returns an empty function in all threads but the process's first: the others get no interrupts, and a language that
/// ends terminates them when they enter it.
std::function<void()> interruption();

}  // namespace kmux::bridge
