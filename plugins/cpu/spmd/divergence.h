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

/// The analyses of LLVM. Those registered before `complete` take the place of LLVM's own.
struct Analyses {
  Analyses() = default;
  Analyses(llvm::TargetMachine* machine, const llvm::PipelineTuningOptions& tuning) : builder(machine, tuning) {}
  void complete() {
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

/// The same with lanes that diverge.
struct DivergentAnalyses : Analyses {
  explicit DivergentAnalyses(bool in_step) {
    register_divergence(functions, in_step);
    complete();
  }
};

}  // namespace kmux::cpu::spmd
