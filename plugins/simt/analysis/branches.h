#pragma once

#include "kmux/error.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace kmux::simt {

/// A divergent branch: lanes with the condition (without it, unless `on_true`) run `region`; then all lanes reconverge
/// at `join`.
struct Split {
  llvm::BranchInst* branch;
  llvm::BasicBlock* region;
  llvm::BasicBlock* join;
  bool on_true;
};

/// The divergent branches of a function with structured control flow.
class Branches {
 public:
  /// Finds the divergent branches of `function`, and splits edges so that every region has a separate entry block.
  ///
  /// Errors: unsupported if the control flow is not structured.
  static Result<Branches> find(llvm::Function& function, const llvm::UniformityInfo& uniformity);

  const std::vector<Split>& splits() const { return splits_; }
  /// Returns the split whose region begins with `block`, or null.
  const Split* split_into(const llvm::BasicBlock* block) const;
  /// Returns true if `loop` has a divergent exit: lanes leave it one after another.
  bool is_left_one_by_one(const llvm::Loop* loop) const {
    return loop != nullptr && divergent_loops_.contains(loop->getHeader());
  }
  /// Returns the blocks whose phis select between incoming values lane by lane.
  llvm::DenseSet<const llvm::BasicBlock*> blended(const llvm::LoopInfo& loops) const;

 private:
  Status add_loop(const llvm::Loop& loop, const llvm::BasicBlock& exiting);
  Status add_split(llvm::BranchInst& branch, const llvm::PostDominatorTree& post_dominators);

  std::vector<Split> splits_;
  llvm::DenseSet<const llvm::BasicBlock*> divergent_loops_;  // by their headers
};

}  // namespace kmux::simt
