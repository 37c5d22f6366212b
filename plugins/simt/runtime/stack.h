#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/runtime/pool.h"

namespace kmux::simt {

/// The bounds of a thread's current stack: its lowest address and one past its highest. Both 0 if not yet determined or unknown.
struct StackBounds {
  std::uintptr_t low;
  std::uintptr_t high;
};

/// Returns the bounds of the calling thread's stack. Queries the system in the first call of a thread.
const StackBounds& stack_bounds() noexcept;

/// Returns true if the calling thread's stack has `bytes` left, plus a reserve for the C library and a thrown exception.
/// Returns false on a foreign stack (a coroutine's), and true on processors where `run_on_stack` cannot leave the stack.
///
/// Threads: any.
bool has_stack(std::size_t bytes) noexcept;

/// Returns true inside a call of `run_on_stack`.
///
/// Threads: any.
bool has_left_stack() noexcept;

/// Calls `work(context)` on a stack with at least `bytes`, which the calling thread keeps for the next call.
/// `has_stack(bytes)` returns true inside the call. `work` must not throw.
///
/// Errors: returns false, with `work` not called, if out of memory on the stack.
/// Threads: any; each has a separate stack of this kind.
bool run_on_stack(std::size_t bytes, Work work, void* context) noexcept;

}  // namespace kmux::simt
