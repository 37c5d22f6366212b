#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Adds an exit that is never taken to each endless loop. Control flow must reach an end to be structurized.
struct EndlessLoopExitsPass : llvm::PassInfoMixin<EndlessLoopExitsPass> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::simt
