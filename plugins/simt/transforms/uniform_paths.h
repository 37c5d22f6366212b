#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Duplicates the outermost divergent regions of `kernel` for a uniform path: if all lanes take the same branch, the
/// copy runs without masks. The copy of a loop runs until the first lane leaves it.
/// Errors: unsupported as `vectorize`.
Status add_uniform_paths(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::simt
