#include "simt/transforms/structurize.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/StructurizeCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/thread_calls.h"
#include "simt/transforms/endless_loops.h"
#include "simt/transforms/scalar_form.h"
#include "simt/transforms/unroll_barrier_loops.h"

namespace kmux::simt {
namespace {

template <class Pass>
void add_loop_pass(llvm::FunctionPassManager& passes, Pass pass, bool needs_memory = false) {
  llvm::LoopPassManager loops;
  loops.addPass(std::move(pass));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), needs_memory));
}

void add_branch_pass(llvm::FunctionPassManager& passes) {
  llvm::SimplifyCFGOptions options;
  options.needCanonicalLoops(true).hoistCommonInsts(false).sinkCommonInsts(false);
  passes.addPass(llvm::SimplifyCFGPass(options));
}

void add_clean_up(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::EarlyCSEPass(true));
  add_branch_pass(passes);
  passes.addPass(llvm::InstCombinePass());
}

void add_scalar_passes(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  add_clean_up(passes);
  add_loop_pass(passes, llvm::LoopRotatePass(true, false));
  add_loop_pass(passes, llvm::LICMPass(llvm::LICMOptions()), true);
  add_loop_pass(passes, llvm::IndVarSimplifyPass(false));
  add_loop_pass(passes, llvm::LoopFullUnrollPass(3));
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(UnrollBarrierLoopsPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  add_clean_up(passes);
  passes.addPass(llvm::ADCEPass());
  // A loop without an exit that writes nothing is never reached: C++ guarantees that ([intro.progress]) for all but
  // while (true) {}.
  add_loop_pass(passes, llvm::LoopDeletionPass());
  add_branch_pass(passes);
  passes.addPass(ExpandVectorCastsPass());
  llvm::ScalarizerPassOptions vectors;
  vectors.ScalarizeLoadStore = true;
  passes.addPass(llvm::ScalarizerPass(vectors));
}

void add_structure_passes(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::UnifyFunctionExitNodesPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::FixIrreduciblePass());
  passes.addPass(llvm::UnifyLoopExitsPass());
}

// Uses the legacy pass: the new one does not skip uniform regions.
void structure_regions(llvm::Function& kernel, bool in_lockstep) {
  llvm::legacy::FunctionPassManager passes(kernel.getParent());
  passes.add(llvm::createTargetTransformInfoWrapperPass(divergence(in_lockstep)));
  passes.add(llvm::createStructurizeCFGPass(/*SkipUniformRegions=*/true));
  passes.run(kernel);
}

// Returns the only value of `phi`, apart from undef and itself, or null.
llvm::Value* only_value(const llvm::PHINode& phi) {
  llvm::Value* only = nullptr;
  for (llvm::Value* const value : phi.incoming_values()) {
    if (llvm::isa<llvm::UndefValue>(value) || value == &phi) continue;
    if (only != nullptr && only != value) return nullptr;
    only = value;
  }
  return only;
}

// Keeps a value that is known before a region and undefined after it. Otherwise a uniform value would be undefined also
// in lanes for which the region does not run.
void keep_known_values(llvm::Function& kernel) {
  const llvm::DominatorTree dominators(kernel);
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (llvm::BasicBlock& block : kernel) {
      for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
        llvm::Value* const known = only_value(phi);
        const auto* const place = llvm::dyn_cast_or_null<llvm::Instruction>(known);
        if (known == nullptr || (place != nullptr && !dominators.dominates(place, &phi))) continue;
        phi.replaceAllUsesWith(known);
        phi.eraseFromParent();
        has_changed = true;
      }
    }
  }
}

}  // namespace

llvm::PreservedAnalyses StructurizePass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  add_scalar_passes(passes);
  passes.addPass(EndlessLoopExitsPass());
  add_structure_passes(passes);
  passes.run(kernel, analyses);
  structure_regions(kernel, in_lockstep_);
  llvm::EliminateUnreachableBlocks(kernel);
  keep_known_values(kernel);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager loops;
  loops.addPass(llvm::LoopSimplifyPass());
  loops.addPass(llvm::LCSSAPass());
  loops.run(kernel, analyses);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
