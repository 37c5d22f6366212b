#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Checks that no loop of structurized `kernel` waits for other threads of the block. Such a loop never ends: lanes run
/// in lockstep, and warps one after another.
///
/// Errors: unsupported if a loop waits.
Status check_waits(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::simt
