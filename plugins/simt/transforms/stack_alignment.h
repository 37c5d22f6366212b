#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Aligns arrays on the stack to cache lines: vectors as wide as a line would otherwise each cross two.
struct StackAlignmentPass : llvm::PassInfoMixin<StackAlignmentPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace kmux::simt
