#pragma once

#include <string_view>

namespace kmux::cpu {

/// The address of the function `symbol` that code on fibers calls: those of spmd/thread_calls.h for one thread, and those of
/// check/instrument.h; null if it is none of them.
void* fiber_call(std::string_view symbol);

}  // namespace kmux::cpu
