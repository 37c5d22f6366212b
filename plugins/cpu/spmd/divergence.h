#pragma once

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"

namespace kmux::cpu::spmd {

/// Has `analyses` answer LLVM's questions about divergence for the lanes of a warp: what differs between them by itself
/// (the index of a thread, its own memory, what an atomic returns), and what never does.
void register_divergence(llvm::FunctionAnalysisManager& analyses);
/// The same for passes of the old kind.
llvm::TargetIRAnalysis divergence();

}  // namespace kmux::cpu::spmd
