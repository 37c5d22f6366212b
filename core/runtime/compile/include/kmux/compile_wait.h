#pragma once

#include <functional>
#include <stop_token>

#include "kmux/compile.h"

namespace kmux {

/// The ways in which a caller cancels a compilation that takes too long.
struct CompileWait {
  /// Once stopped, `compile` returns within 0.2 s. A compiler in a separate process is killed. A compiler in this
  /// process cannot be killed: it runs on, its result is dropped, and the destructor of the runtime waits for it.
  std::stop_token stop = {};
  /// Called on the caller's thread about every 20 ms. An exception also cancels, and is rethrown to the caller.
  std::function<void()> poll = {};
};

/// As `compile`, on another thread so that the caller can cancel it. A kernel cached in memory is returned at once.
///
/// Errors: as `compile`; cancelled if `wait.stop` was stopped before the end.
KMUX_API Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options,
                                const CompileWait& wait);
/// As above, with the default runtime.
KMUX_API Result<Kernel> compile(const Program& program, const CompileOptions& options, const CompileWait& wait);

}  // namespace kmux
