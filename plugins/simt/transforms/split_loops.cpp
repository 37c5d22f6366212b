#include "simt/transforms/split_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopConstrainer.h"

namespace kmux::simt {
namespace {

constexpr std::size_t kMaxSplit = 60;  // instructions of a loop, whose code is duplicated
constexpr const char* kAsked = "kmux.split";

/// A comparison of the iteration number with a bound.
struct Question {
  llvm::ICmpInst* compare = nullptr;
  bool is_below = false;              // its result up to the bound
  const llvm::SCEV* iterations = nullptr;  // the number of iterations up to the bound
};

/// Splits the loops of one function.
class Splitter {
 public:
  Splitter(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)) {}

  bool run() {
    bool has_split = false;
    for (llvm::Loop* const loop : loops_.getLoopsInPreorder()) has_split |= split(*loop);
    return has_split;
  }

 private:
  bool is_fit(const llvm::Loop& loop) const;
  Question ask(const llvm::Loop& loop, llvm::BasicBlock& block);
  Question question_of(const llvm::Loop& loop);
  bool split(llvm::Loop& loop);

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
};

// Returns true if the vectoriser may take the loop. One that uses vectors already gains nothing.
bool Splitter::is_fit(const llvm::Loop& loop) const {
  const bool is_simple = loop.isInnermost() && loop.isLoopSimplifyForm() && loop.getExitingBlock() != nullptr &&
                         loop.getExitingBlock() == loop.getLoopLatch() && loop.isLCSSAForm(dominators_);
  if (!is_simple) return false;
  std::size_t count = 0;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& one : *block) {
      if (one.getType()->isVectorTy()) return false;
      ++count;
    }
  }
  return count <= kMaxSplit;
}

// Returns the comparison on which `block` branches; empty if the loop cannot be split by it.
Question Splitter::ask(const llvm::Loop& loop, llvm::BasicBlock& block) {
  const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || !branch->isConditional() || &block == loop.getLoopLatch()) return {};
  auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr || !loop.contains(compare) || !compare->getOperand(0)->getType()->isIntegerTy()) return {};
  llvm::ICmpInst::Predicate predicate = compare->getPredicate();
  const llvm::SCEV* number = evolution_.getSCEV(compare->getOperand(0));
  const llvm::SCEV* bound = evolution_.getSCEV(compare->getOperand(1));
  if (!llvm::isa<llvm::SCEVAddRecExpr>(number)) {
    std::swap(number, bound);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  const auto* const counted = llvm::dyn_cast<llvm::SCEVAddRecExpr>(number);
  const bool is_below = llvm::ICmpInst::isLT(predicate);
  if (counted == nullptr || counted->getLoop() != &loop || !evolution_.isLoopInvariant(bound, &loop)) return {};
  if (!counted->isAffine() || !counted->getStepRecurrence(evolution_)->isOne()) return {};
  if (!is_below && predicate != llvm::ICmpInst::ICMP_SGE && predicate != llvm::ICmpInst::ICMP_UGE) return {};
  const bool is_signed = llvm::ICmpInst::isSigned(predicate);
  if (!(is_signed ? counted->hasNoSignedWrap() : counted->hasNoUnsignedWrap())) return {};
  const llvm::SCEV* const start = counted->getStart();
  const llvm::SCEV* const end = is_signed ? evolution_.getSMaxExpr(start, bound) : evolution_.getUMaxExpr(start, bound);
  return {compare, is_below, evolution_.getMinusSCEV(end, start)};
}

Question Splitter::question_of(const llvm::Loop& loop) {
  for (llvm::BasicBlock* const block : loop.blocks()) {
    const Question question = ask(loop, *block);
    if (question.compare != nullptr) return question;
  }
  return {};
}

// Replaces the marked comparison in `loop` by the constant `with`.
void answer(const llvm::Loop& loop, bool with) {
  for (llvm::BasicBlock* const block : loop.blocks()) {
    for (llvm::Instruction& one : *block) {
      if (one.getMetadata(kAsked) != nullptr) one.replaceAllUsesWith(llvm::ConstantInt::getBool(one.getType(), with));
    }
  }
}

bool Splitter::split(llvm::Loop& loop) {
  if (!is_fit(loop)) return false;
  const Question question = question_of(loop);
  if (question.compare == nullptr) return false;
  const char* why = nullptr;
  const auto known = llvm::LoopStructure::parseLoopStructure(evolution_, loop, true, why);
  if (!known || !known->IndVarIncreasing) return false;
  llvm::Type* const type = question.iterations->getType();
  const llvm::SCEV* const start = evolution_.getSCEV(known->IndVarStart);
  const llvm::SCEV* const end = evolution_.getSCEV(known->LoopExitAt);
  const auto* const step = llvm::dyn_cast<llvm::ConstantInt>(known->IndVarStep);
  if (step == nullptr || !step->isOne() || start->getType() != type || end->getType() != type) return false;
  const llvm::SCEV* const all = evolution_.getMinusSCEV(end, start);
  const llvm::SCEV* const limit = evolution_.getAddExpr(start, evolution_.getUMinExpr(question.iterations, all));
  llvm::MDNode* const settings = loop.getLoopID();
  llvm::SmallVector<llvm::Loop*> others;
  question.compare->setMetadata(kAsked, llvm::MDNode::get(question.compare->getContext(), {}));
  const auto keep = [&](llvm::Loop* made, bool) { others.push_back(made); };  // the constrainer refers to it
  llvm::LoopConstrainer constrainer(loop, loops_, keep, *known, evolution_, dominators_, type, {std::nullopt, limit});
  const bool is_split = constrainer.run();
  if (is_split) {
    for (llvm::Loop* const other : others) {
      answer(*other, !question.is_below);
      other->setLoopID(settings);
    }
    answer(loop, question.is_below);
  }
  question.compare->setMetadata(kAsked, nullptr);
  return is_split;
}

}  // namespace

llvm::PreservedAnalyses SplitLoopsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!Splitter(function, analyses).run()) return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager after;  // a loop may now be one that fills memory
  after.addPass(llvm::SimplifyCFGPass());
  after.addPass(llvm::InstCombinePass());
  after.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopIdiomRecognizePass()));
  after.run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
