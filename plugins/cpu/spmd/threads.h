#pragma once

#include <cstdint>

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
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

/// Errors: unsupported for inline assembly in `function`, which is for another processor.
Status check_text(const llvm::Function& function);

/// The variable that `instruction`, a note of the source, says is shared, or null.
llvm::AllocaInst* shared_variable(const llvm::Instruction& instruction);

/// Takes such notes out of `function`, and those of the lives of variables.
void erase_notes(llvm::Function& function);

/// Has `function` ask for the dynamic shared memory where it names an array without extent.
void place_dynamic(llvm::Function& function);

/// Has `kernel` ask for lane and warp where it asked for the index of its thread. A warp that is not whole runs its body for
/// the threads that there are.
void place_threads(llvm::Function& kernel, const BlockShape& shape);

}  // namespace kmux::cpu::spmd
