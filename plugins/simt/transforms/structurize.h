#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Structurizes the control flow of `kernel` as `vectorize` requires. One successor of a divergent branch begins a
/// single-entry single-exit region; the other one is the exit of that region. Lanes leave a loop with a divergent exit
/// only from its latch. Before that, promotes memory to scalars and unrolls constant loops. `in_lockstep`: for the lanes
/// of several warps in lockstep.
class StructurizePass : public llvm::PassInfoMixin<StructurizePass> {
 public:
  explicit StructurizePass(bool in_lockstep) : in_lockstep_(in_lockstep) {}
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

 private:
  bool in_lockstep_;
};

}  // namespace kmux::simt
