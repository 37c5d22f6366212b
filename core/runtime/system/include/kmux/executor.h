#pragma once

#include <functional>

#include "kmux/export.h"

namespace kmux {

/// Has `work` called by up to `threads` threads of the application at the same time, the calling one maybe among them, and returns
/// when all these calls have returned. `work` does not throw; called less often, or not at all, it is done by the caller.
using Executor = std::function<void(unsigned threads, const std::function<void()>& work)>;

/// Lends kernels that run on this machine's processor the application's threads, so that they need none of their own beside
/// them: what such a kernel divides among threads goes to `executor`, from the thread that launches. An empty function: threads of
/// the backend's own again, as in the beginning. For the whole process, from the next launch on. Where `executor` throws the caller does the
/// work.
///
/// Threads: any; `executor` may be called from several at once.   Lifetime: each one that was set stays until the process ends.
KMUX_API void set_executor(Executor executor);

}  // namespace kmux
