#pragma once

#include <cstdint>

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "spmd/block_shape.h"

namespace kmux::cpu::spmd {

/// Does `kernel`, or what it calls, exchange values between the threads of a warp?
bool sees_warps(const llvm::Function& kernel);

/// Makes `kernel` one function of all that it calls, with its shared variables as places in the shared memory of the block.
/// Returns the bytes of those.
///
/// Errors: unsupported for recursion, calls through pointers that are not known, and inline assembly, with file and line where
///         the module has those.
Result<std::uint64_t> join_calls(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

/// Has `kernel` ask for lane and warp where it asked for the index of its thread. A warp that is not whole runs its body for
/// the threads that there are.
void place_threads(llvm::Function& kernel, const BlockShape& shape);

}  // namespace kmux::cpu::spmd
