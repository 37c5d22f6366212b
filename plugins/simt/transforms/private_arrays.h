#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Returns true if `function` has an array of dynamic size.
bool has_dynamic_array(const llvm::Function& function);

/// Checks the sizes of private arrays.
///
/// Errors: unsupported if `kernel`, or a function that it calls, has larger arrays than a thread of a GPU may have.
Status check_private_arrays(llvm::Function& kernel);

/// Moves large private arrays that are left in the optimised `module` from the caller's stack into the memory of the
/// launch. Records the stack size that threads of kernels on fibers need.
struct PrivateArraysPass : llvm::PassInfoMixin<PrivateArraysPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace kmux::simt
