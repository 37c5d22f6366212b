#pragma once

#include <functional>

#include "kmux/export.h"

namespace kmux {

/// Calls `work` on up to `threads` application threads concurrently, possibly including the calling thread, and returns
/// when all these calls have returned. `work` does not throw. If the executor calls it less often, or never, the caller
/// does the remaining work.
using Executor = std::function<void(unsigned threads, const std::function<void()>& work)>;

/// Lends application threads to kernels that run on this machine's processor, so that backends need no threads in
/// addition. Such a kernel passes its parallel work to `executor`, from the thread that launches. An empty function
/// restores the backend's own threads, the default. Applies to the whole process, from the next launch on. If
/// `executor` throws, the caller does the work.
///
/// Threads: any; `executor` must be thread-safe: several threads may call it at once.   Lifetime: each one that was set
/// stays until the process ends.
KMUX_API void set_executor(Executor executor);

}  // namespace kmux
