#pragma once

#include <span>
#include <string>
#include <string_view>

#include "simt/check/fiber.h"

namespace kmux::simt {

/// Lets all lanes of the running thread's warp come here, then does `work` once for all of them, whatever mask they have
/// set. Instructions with ".sync.aligned" are such calls.
///
/// `operands`: those of the running thread, which the work finds as WarpCall::data. `place`: of the call in the code.
void call_whole_warp(WarpCall::Work work, void* operands, const void* place);

/// Checks that all 32 lanes have come, within work for a warp.
///
/// Errors: throws KernelFailure if some have not.
void check_whole_warp(std::span<Thread* const> lanes, std::string_view instruction);

/// Throws the KernelFailure of a lane whose instruction is of another form than that of the first lane.
[[noreturn]] void throw_diverged(const Thread& lane, std::string_view instruction);

/// Returns "block (0, 0, 0), thread (3, 0, 0)" for messages, behind the line of its code if the kernel is checked.
std::string place_of(const Thread& thread);

/// Returns the operands of a lane in work for a warp.
template <class T>
T& operands_of(const Thread& thread) {
  return *static_cast<T*>(thread.call.data);
}

}  // namespace kmux::simt
