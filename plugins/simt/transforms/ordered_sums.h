#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Keeps loops scalar that do little more than an ordered sum: elements would move between vector and scalar in them
/// without gain.
struct OrderedSumsPass : llvm::PassInfoMixin<OrderedSumsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::simt
