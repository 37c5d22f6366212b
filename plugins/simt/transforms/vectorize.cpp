#include "simt/transforms/vectorize.h"

#include <algorithm>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "simt/analysis/branches.h"
#include "simt/analysis/lane_values.h"
#include "simt/transforms/lane_code.h"

namespace kmux::simt {
namespace {

/// The basic blocks of the new function, and the masks of the lanes that run them.
class Widening {
 public:
  Widening(llvm::Function& from, llvm::Function& to, unsigned lanes, unsigned warps, const Branches& branches,
           const LaneValues& values)
      : from_(from), branches_(branches), dominators_(from), loops_(dominators_), code_(to, lanes, warps, values) {
    for (unsigned i = 0; i < from.arg_size(); ++i) code_.set(from.getArg(i), to.getArg(i));
  }

  void run() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&from_);
    for (llvm::BasicBlock* const block : order) begin_[block] = code_.add_block(block->getName());
    for (llvm::BasicBlock* const block : order) emit(*block);
    for (llvm::BasicBlock* const block : order) complete_phis(*block);
  }

 private:
  using Value = llvm::Value;
  using Masks = LaneCode::Masks;

  using OfWarp = std::pair<const Value*, unsigned>;

  // A loop with a divergent exit: its mask and, for each value that is used after it, the last value of each lane.
  struct LeavingLoop {
    Masks mask;
    Masks next;
    std::vector<std::pair<OfWarp, llvm::PHINode*>> kept;
    llvm::DenseMap<OfWarp, Value*> last;
  };

  void emit(llvm::BasicBlock& block);
  void emit_mask(llvm::BasicBlock& block);
  void emit_end(llvm::BasicBlock& block);
  void emit_split(const Split& split);
  void emit_last(llvm::BasicBlock& latch, const llvm::Loop& loop);
  void begin_leaving(llvm::BasicBlock& header, const llvm::Loop& loop);
  Masks inherited_mask(llvm::BasicBlock& block) const;
  void complete_phis(llvm::BasicBlock& block);
  void complete_leaving(const llvm::Loop& loop);
  Value* incoming(const llvm::PHINode& phi, llvm::BasicBlock* from, unsigned warp);

  llvm::Function& from_;
  const Branches& branches_;
  const llvm::DominatorTree dominators_;
  const llvm::LoopInfo loops_;
  LaneCode code_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> begin_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> end_;
  llvm::DenseMap<const llvm::BasicBlock*, Masks> masks_;  // empty: all lanes
  llvm::DenseMap<const llvm::BasicBlock*, LeavingLoop> leaving_;  // by header
};

// Returns the mask of the dominating block. After a loop with a divergent exit, all lanes that entered it are active
// again.
Widening::Masks Widening::inherited_mask(llvm::BasicBlock& block) const {
  const auto* const node = dominators_.getNode(&block)->getIDom();
  if (node == nullptr) return {};
  const llvm::BasicBlock* source = node->getBlock();
  for (const llvm::Loop* loop = loops_.getLoopFor(source); loop != nullptr; loop = loop->getParentLoop()) {
    if (branches_.is_left_one_by_one(loop) && !loop->contains(&block)) source = loop->getLoopPreheader();
  }
  return masks_.lookup(source);
}

void Widening::begin_leaving(llvm::BasicBlock& header, const llvm::Loop& loop) {
  LeavingLoop& leaving = leaving_[&header];
  code_.for_each_warp(
      [&](unsigned) { leaving.mask.push_back(code_.builder().CreatePHI(code_.mask_type(), 2, "mask")); });
  for (const llvm::PHINode& phi : loop.getExitBlock()->phis()) {
    const Value* const value = phi.getIncomingValueForBlock(loop.getLoopLatch());
    const auto* const inside = llvm::dyn_cast<llvm::Instruction>(value);
    if (inside == nullptr || !loop.contains(inside)) continue;
    code_.for_each_warp([&](unsigned warp) {
      llvm::PHINode* const kept = code_.builder().CreatePHI(code_.widened(value->getType()), 2, "kept");
      leaving.kept.emplace_back(std::pair{value, warp}, kept);
    });
  }
  masks_[&header] = leaving.mask;
}

void Widening::emit_mask(llvm::BasicBlock& block) {
  const llvm::Loop* const loop = loops_.getLoopFor(&block);
  if (loop != nullptr && loop->getHeader() == &block && branches_.is_left_one_by_one(loop)) {
    begin_leaving(block, *loop);
  } else if (const Split* const split = branches_.split_into(&block)) {
    masks_[&block] = code_.region_masks(split->branch);
  } else {
    masks_[&block] = inherited_mask(block);
  }
}

void Widening::emit(llvm::BasicBlock& block) {
  code_.builder().SetInsertPoint(begin_[&block]);
  emit_mask(block);
  code_.set_masks(masks_.lookup(&block));
  code_.enter(block);
  for (llvm::Instruction& instruction : block) {
    if (!instruction.isTerminator()) code_.emit(instruction);
  }
  emit_end(block);
  end_[&block] = code_.builder().GetInsertBlock();
}

void Widening::emit_split(const Split& split) {
  Masks masks;
  code_.for_each_warp([&](unsigned) {
    Value* condition = code_.vector(split.branch->getCondition());
    if (!split.on_true) condition = code_.builder().CreateNot(condition);
    masks.push_back(code_.masked(condition));
  });
  code_.set_region_masks(split.branch, masks);
  code_.builder().CreateCondBr(code_.any_of(split.branch->getCondition(), split.on_true, masks), begin_[split.region],
                               begin_[split.join]);
}

// Emits the end of a loop with a divergent exit.
void Widening::emit_last(llvm::BasicBlock& latch, const llvm::Loop& loop) {
  LeavingLoop& leaving = leaving_[loop.getHeader()];
  auto* const branch = llvm::cast<llvm::BranchInst>(latch.getTerminator());
  const Masks masks = masks_.lookup(&latch);
  code_.for_each_warp([&](unsigned warp) {
    for (const auto& [of, kept] : leaving.kept) {
      if (of.second != warp) continue;
      leaving.last[of] = code_.builder().CreateSelect(masks[warp], code_.vector(of.first), kept);
    }
    Value* stays = code_.vector(branch->getCondition());
    if (branch->getSuccessor(0) != loop.getHeader()) stays = code_.builder().CreateNot(stays);
    leaving.next.push_back(code_.masked(stays));
  });
  code_.builder().CreateCondBr(code_.any(leaving.next), begin_[loop.getHeader()], begin_[loop.getExitBlock()]);
}

void Widening::emit_end(llvm::BasicBlock& block) {
  auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  llvm::IRBuilder<>& builder = code_.builder();
  if (branch == nullptr) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator()))
      builder.CreateRetVoid();
    else
      builder.CreateUnreachable();
    return;
  }
  const llvm::Loop* const loop = loops_.getLoopFor(&block);
  if (!branch->isConditional()) {
    builder.CreateBr(begin_[branch->getSuccessor(0)]);
  } else if (branches_.is_left_one_by_one(loop) && loop->getLoopLatch() == &block) {
    emit_last(block, *loop);
  } else {
    for (const Split& split : branches_.splits()) {
      if (split.branch == branch) return emit_split(split);
    }
    builder.CreateCondBr(code_.scalar(branch->getCondition()), begin_[branch->getSuccessor(0)],
                         begin_[branch->getSuccessor(1)]);
  }
}

// Returns the value that `phi` gets from `from`. Lanes that were inactive meanwhile keep their values from before they
// diverged.
Widening::Value* Widening::incoming(const llvm::PHINode& phi, llvm::BasicBlock* from, unsigned warp) {
  const Value* const value = phi.getIncomingValueForBlock(from);
  if (!code_.is_vector(&phi)) return code_.scalar(value);
  const llvm::Loop* const loop = loops_.getLoopFor(from);
  const bool is_kept = branches_.is_left_one_by_one(loop) && !loop->contains(phi.getParent());
  Value* last = is_kept ? leaving_[loop->getHeader()].last.lookup({value, warp}) : nullptr;
  if (last == nullptr) last = code_.vector(value);
  std::vector<const Split*> parted;  // those that reconverge here, the innermost first
  for (const Split& split : branches_.splits()) {
    if (split.join == phi.getParent() && dominators_.dominates(split.region, from)) parted.push_back(&split);
  }
  std::sort(parted.begin(), parted.end(),
            [&](const Split* a, const Split* b) { return a != b && dominators_.dominates(b->region, a->region); });
  for (const Split* const split : parted) {
    Value* const before = code_.vector(phi.getIncomingValueForBlock(split->branch->getParent()));
    last = code_.builder().CreateSelect(code_.region_masks(split->branch)[warp], last, before);
  }
  return last;
}

void Widening::complete_leaving(const llvm::Loop& loop) {
  LeavingLoop& leaving = leaving_[loop.getHeader()];
  llvm::BasicBlock* const before = end_[loop.getLoopPreheader()];
  llvm::BasicBlock* const latch = end_[loop.getLoopLatch()];
  Value* const all = llvm::Constant::getAllOnesValue(code_.mask_type());
  const Masks first = masks_.lookup(loop.getLoopPreheader());
  code_.for_each_warp([&](unsigned warp) {
    auto* const mask = llvm::cast<llvm::PHINode>(leaving.mask[warp]);
    mask->addIncoming(first.empty() ? all : first[warp], before);
    mask->addIncoming(leaving.next[warp], latch);
  });
  for (const auto& [value, kept] : leaving.kept) {
    kept->addIncoming(llvm::PoisonValue::get(kept->getType()), before);
    kept->addIncoming(leaving.last[value], latch);
  }
}

void Widening::complete_phis(llvm::BasicBlock& block) {
  const llvm::Loop* const loop = loops_.getLoopFor(&block);
  if (loop != nullptr && loop->getHeader() == &block && branches_.is_left_one_by_one(loop)) complete_leaving(*loop);
  for (const llvm::PHINode& phi : block.phis()) {
    code_.for_each_warp(code_.copies(&phi), [&](unsigned warp) {
      auto* const made = llvm::cast<llvm::PHINode>(code_.is_vector(&phi) ? code_.vector(&phi) : code_.scalar(&phi));
      for (llvm::BasicBlock* const from : phi.blocks()) {
        code_.builder().SetInsertPoint(end_[from]->getTerminator());
        made->addIncoming(incoming(phi, from, warp), end_[from]);
      }
    });
  }
}

}  // namespace

Result<llvm::Function*> vectorize(llvm::Function& kernel, unsigned lanes, unsigned warps,
                                  llvm::FunctionAnalysisManager& analyses) {
  KMUX_ASSIGN(const Branches branches,
              Branches::find(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel)));
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  const auto& uniformity = analyses.getResult<llvm::UniformityInfoAnalysis>(kernel);
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(kernel);
  const LaneValues values(kernel, uniformity, lanes, branches.blended(loops));
  auto* const warp = llvm::Function::Create(kernel.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                            kernel.getName() + ".warp", kernel.getParent());
  warp->copyAttributesFrom(&kernel);
  warp->setDSOLocal(true);
  Widening(kernel, *warp, lanes, warps, branches, values).run();
  return warp;
}

}  // namespace kmux::simt
