#include "simt/transforms/ordered_sums.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace kmux::simt {
namespace {

constexpr unsigned kMinWork = 8;  // operations on floating-point numbers

bool sums_in_order(const llvm::Loop& loop) {
  return llvm::any_of(loop.getHeader()->phis(), [&](const llvm::PHINode& phi) {
    const llvm::BasicBlock* const latch = loop.getLoopLatch();
    if (!phi.getType()->isFloatingPointTy() || latch == nullptr) return false;
    const auto* const next = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(latch));
    return next != nullptr && llvm::isa<llvm::FPMathOperator>(next) && !next->hasAllowReassoc();
  });
}

unsigned work_of(const llvm::Loop& loop) {
  unsigned count = 0;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& one : *block) count += one.getType()->isFloatingPointTy() && one.getNumOperands() > 1;
  }
  return count;
}

}  // namespace

llvm::PreservedAnalyses OrderedSumsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    const bool is_plain = loop->isInnermost() && sums_in_order(*loop) && work_of(*loop) < kMinWork;
    if (is_plain) llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", 1);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace kmux::simt
