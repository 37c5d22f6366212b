#include "simt/transforms/unroll_barrier_loops.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

// A loop beyond these limits is not unrolled: warps with more instructions do not run in lockstep.
constexpr unsigned kMaxCopies = 16;
constexpr unsigned kMaxInstructions = 3000;

std::size_t instructions(const llvm::Loop& loop) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* const block : loop.blocks()) count += block->size();
  return count;
}

bool has_barrier(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& one) { return is_barrier(&one); });
  });
}

// Returns the unroll count of `loop`: N of "#pragma unroll N", or 1.
unsigned copies(const llvm::Loop& loop) {
  const unsigned told = llvm::getOptionalIntLoopAttribute(&loop, "llvm.loop.unroll.count").value_or(1);
  const bool fits = told <= kMaxCopies && told * instructions(loop) <= kMaxInstructions;
  return fits && loop.isInnermost() && has_barrier(loop) ? told : 1;
}

}  // namespace

llvm::PreservedAnalyses UnrollBarrierLoopsPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(kernel);
  for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
    const unsigned count = copies(*loop);
    if (count < 2 || !loop->isLoopSimplifyForm()) continue;
    // Each copy keeps its exit: a remainder loop would put barriers under another condition.
    const llvm::UnrollLoopOptions options{.Count = count,
                                          .Force = true,
                                          .Runtime = false,
                                          .AllowExpensiveTripCount = false,
                                          .UnrollRemainder = false,
                                          .ForgetAllSCEV = true};
    llvm::UnrollLoop(loop, options, &loops, &analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel),
                     &analyses.getResult<llvm::DominatorTreeAnalysis>(kernel),
                     &analyses.getResult<llvm::AssumptionAnalysis>(kernel),
                     &analyses.getResult<llvm::TargetIRAnalysis>(kernel),
                     &analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(kernel), /*PreserveLCSSA=*/true);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
