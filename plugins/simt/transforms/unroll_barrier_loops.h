#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Unrolls the innermost loops of `kernel` that have barriers and "#pragma unroll N", for any trip count. LLVM does
/// not: its remainder loop would put barriers under a condition. Here each copy keeps its exit. `kernel` must be in
/// LCSSA form.
struct UnrollBarrierLoopsPass : llvm::PassInfoMixin<UnrollBarrierLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::simt
