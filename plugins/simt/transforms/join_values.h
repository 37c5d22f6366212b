#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Merges equal values of `group`, and expresses loop indices that are a constant apart by one of them.
struct JoinValuesPass : llvm::PassInfoMixin<JoinValuesPass> {
  llvm::PreservedAnalyses run(llvm::Function& group, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::simt
