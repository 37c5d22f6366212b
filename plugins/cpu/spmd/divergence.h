#pragma once

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace kmux::cpu::spmd {

/// Has `analyses` answer LLVM's questions about divergence for the lanes of a warp: what differs between them by itself
/// (the index of a thread, its own memory, what an atomic returns), and what never does. `in_step`: for the lanes of several
/// warps, between which the index of a warp and what its lanes ask each other differ, too.
void register_divergence(llvm::FunctionAnalysisManager& analyses, bool in_step);
/// The same for passes of the old kind.
llvm::TargetIRAnalysis divergence(bool in_step);

/// The analyses of LLVM, with lanes that diverge.
struct Analyses {
  explicit Analyses(bool in_step) {
    register_divergence(functions, in_step);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

}  // namespace kmux::cpu::spmd
