#pragma once

#include <cstdint>

namespace kmux::simt {

/// Completes `bytes` bytes at the mbarrier at `barrier`, as an asynchronous copy does when it ends.
///
/// Errors: throws KernelFailure if the barrier is not initialised.
/// Threads: the running thread of a FiberLaunch.
void complete_transaction(void* barrier, std::uint32_t bytes);

}  // namespace kmux::simt
