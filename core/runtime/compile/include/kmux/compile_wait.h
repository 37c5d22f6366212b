#pragma once

#include <functional>
#include <stop_token>

#include "kmux/compile.h"

namespace kmux {

/// How a caller gives up a compilation that takes too long for it.
struct CompileWait {
  /// Once stopped, `compile` returns within 0.2 s. A compiler in a process of its own is killed; one in this process cannot
  /// be: it is left behind, and its result is dropped when it ends. The end of the runtime waits for it.
  std::stop_token stop = {};
  /// Called on the thread that called, about every 20 ms; what it throws stops, too, and is passed on.
  std::function<void()> poll = {};
};

/// As `compile`, by another thread, so that it can be given up. What is found in memory is returned at once.
///
/// Errors: as `compile`; cancelled if `wait.stop` was stopped before the end.
KMUX_API Result<Kernel> compile(Runtime& runtime, const Program& program, const CompileOptions& options,
                                const CompileWait& wait);
/// With the default runtime.
KMUX_API Result<Kernel> compile(const Program& program, const CompileOptions& options, const CompileWait& wait);

}  // namespace kmux
