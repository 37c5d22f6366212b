#pragma once

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace kmux::simt {

/// Makes LLVM's uniformity analysis in `analyses` work on the lanes of a warp. Sources of divergence are thread
/// indices, private memory and results of atomics; some calls are always uniform. `in_lockstep`: for the lanes of several
/// warps, between which warp indices and ballots diverge, too.
void register_divergence(llvm::FunctionAnalysisManager& analyses, bool in_lockstep);
/// Returns the same analysis for the legacy pass manager.
llvm::TargetIRAnalysis divergence(bool in_lockstep);

/// LLVM's analysis managers. Analyses registered before `complete` replace LLVM's own.
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

/// The analyses for code whose lanes diverge.
struct DivergentAnalyses : Analyses {
  explicit DivergentAnalyses(bool in_lockstep) {
    register_divergence(functions, in_lockstep);
    complete();
  }
};

}  // namespace kmux::simt
