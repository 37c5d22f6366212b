#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "spmd/divergence.h"
#include "spmd/steps.h"

namespace kmux::cpu::spmd {
namespace {

// What `value` is more than `other`, if that is a constant; else null.
const llvm::SCEVConstant* constant_between(llvm::Value& value, llvm::Value& other, llvm::ScalarEvolution& evolution) {
  return llvm::dyn_cast<llvm::SCEVConstant>(
      evolution.getMinusSCEV(evolution.getSCEV(&value), evolution.getSCEV(&other)));
}

// Indices that are a constant apart in all iterations of `loop` become one: what is kept in a frame can tell nobody so.
void join_indices(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::SmallVector<llvm::PHINode*> kept;
  for (llvm::PHINode& phi : llvm::make_early_inc_range(loop.getHeader()->phis())) {
    if (!phi.getType()->isIntegerTy()) continue;
    const llvm::SCEVConstant* apart = nullptr;
    const auto is_near = [&](llvm::PHINode* other) {
      apart = other->getType() != phi.getType() ? nullptr : constant_between(phi, *other, evolution);
      return apart != nullptr;
    };
    const auto same = llvm::find_if(kept, is_near);
    if (same == kept.end()) {
      kept.push_back(&phi);
      continue;
    }
    llvm::IRBuilder<> builder(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
    llvm::Value* const value = builder.CreateAdd(*same, apart->getValue());
    evolution.forgetValue(&phi);
    phi.replaceAllUsesWith(value);
    phi.eraseFromParent();
  }
}

}  // namespace

void join_values(llvm::Function& group) {
  Analyses analyses;
  analyses.complete();
  llvm::EarlyCSEPass().run(group, analyses.functions);
  analyses.functions.invalidate(group, llvm::PreservedAnalyses::none());
  auto& evolution = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(group);
  for (const llvm::Loop* const loop : analyses.functions.getResult<llvm::LoopAnalysis>(group).getLoopsInPreorder())
    join_indices(*loop, evolution);
  analyses.functions.clear();
}

}  // namespace kmux::cpu::spmd
