#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/pool.h"

namespace kmux::cpu {

/// The lowest address of the stack that a thread runs on, and the one behind it. Both 0: not found yet, or not to be found.
struct StackBounds {
  std::uintptr_t low;
  std::uintptr_t high;
};

/// Those of the calling thread. Asks the system in the first call of a thread.
const StackBounds& stack_bounds() noexcept;

/// Returns true if the calling thread's stack has `bytes` left, and as much more as the C library and a thrown exception need. False on a
/// stack that is not the thread's (a coroutine's), and true on processors where `run_on_stack` cannot leave the stack.
///
/// Threads: any.
bool has_stack(std::size_t bytes) noexcept;

/// Calls `work(context)` on a stack with at least `bytes`, which the calling thread keeps for the next call. `has_stack(bytes)` is true
/// in there. `work` must not throw.
///
/// Errors: false, with `work` not called, if there is no memory for the stack.
/// Threads: any; each has a stack of this kind.
bool run_on_stack(std::size_t bytes, Work work, void* context) noexcept;

}  // namespace kmux::cpu
