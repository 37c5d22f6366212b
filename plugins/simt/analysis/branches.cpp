#include "simt/analysis/branches.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace kmux::simt {
namespace {

Error not_structured(const llvm::Function& function, const char* what) {
  return make_error(ErrorCode::kUnsupported,
                    "kernel \"" + function.getName().str() + "\" has " + what +
                        " that threads of a warp leave by different ways. Simplify its loops.");
}

bool is_divergent(const llvm::BranchInst* branch, const llvm::UniformityInfo& uniformity) {
  return branch != nullptr && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
         uniformity.isDivergent(branch->getCondition());
}

}  // namespace

Result<Branches> Branches::find(llvm::Function& function, const llvm::UniformityInfo& uniformity) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::PostDominatorTree post_dominators(function);
  Branches found;
  for (llvm::BasicBlock& block : function) {
    auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!is_divergent(branch, uniformity)) continue;
    const llvm::Loop* const loop = loops.getLoopFor(&block);
    const bool is_exit = loop != nullptr && loop->isLoopExiting(&block);
    KMUX_TRY(is_exit ? found.add_loop(*loop, block) : found.add_split(*branch, post_dominators));
  }
  for (Split& split : found.splits_) {
    if (split.region->getSinglePredecessor() == nullptr) {
      split.region = llvm::SplitEdge(split.branch->getParent(), split.region);
    }
  }
  return found;
}

Status Branches::add_loop(const llvm::Loop& loop, const llvm::BasicBlock& exiting) {
  if (loop.getLoopLatch() != &exiting || loop.getExitingBlock() != &exiting) {
    return not_structured(*exiting.getParent(), "a loop");
  }
  divergent_loops_.insert(loop.getHeader());
  return Ok{};
}

Status Branches::add_split(llvm::BranchInst& branch, const llvm::PostDominatorTree& post_dominators) {
  llvm::BasicBlock* const yes = branch.getSuccessor(0);
  llvm::BasicBlock* const no = branch.getSuccessor(1);
  const bool on_true = post_dominators.dominates(no, yes);
  if (!on_true && !post_dominators.dominates(yes, no)) return not_structured(*branch.getFunction(), "a branch");
  splits_.push_back({&branch, on_true ? yes : no, on_true ? no : yes, on_true});
  return Ok{};
}

const Split* Branches::split_into(const llvm::BasicBlock* block) const {
  for (const Split& split : splits_) {
    if (split.region == block) return &split;
  }
  return nullptr;
}

llvm::DenseSet<const llvm::BasicBlock*> Branches::blended(const llvm::LoopInfo& loops) const {
  llvm::DenseSet<const llvm::BasicBlock*> blocks;
  for (const Split& split : splits_) blocks.insert(split.join);
  for (const llvm::BasicBlock* const header : divergent_loops_) blocks.insert(loops.getLoopFor(header)->getExitBlock());
  return blocks;
}

}  // namespace kmux::simt
