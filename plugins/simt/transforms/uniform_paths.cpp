#include "simt/transforms/uniform_paths.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simt/analysis/branches.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

constexpr std::size_t kMaxDoubled = 2000;  // instructions of all copies together

using Blocks = llvm::SmallVector<llvm::BasicBlock*>;

// Takes the instructions of `blocks` off `budget`. Returns false if they do not fit, or access no memory: masking
// registers costs nothing.
bool is_worth_doubling(const Blocks& blocks, std::size_t& budget) {
  std::size_t count = 0;
  bool has_memory = false;
  for (const llvm::BasicBlock* const block : blocks) {
    count += block->size();
    for (const llvm::Instruction& instruction : *block) has_memory |= instruction.mayReadOrWriteMemory();
  }
  if (!has_memory || count > budget) return false;
  budget -= count;
  return true;
}

void clone_blocks(const Blocks& blocks, llvm::Function& function, const char* suffix, llvm::ValueToValueMapTy& map) {
  Blocks copies;
  for (llvm::BasicBlock* const block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, suffix, &function));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
}

llvm::Value* mapped(const llvm::ValueToValueMapTy& map, llvm::Value* value) {
  const auto found = map.find(value);
  return found == map.end() ? value : static_cast<llvm::Value*>(found->second);
}

llvm::Value* condition_of(llvm::IRBuilder<>& builder, llvm::Value* condition, bool on_true) {
  return make_call(builder, call::kAll, builder.getInt1Ty(), on_true ? condition : builder.CreateNot(condition));
}

// Returns true if the region of `split` has a copy already.
bool is_doubled(const Split& split) {
  const llvm::BasicBlock* const parting = split.branch->getParent();
  const llvm::BasicBlock* const before = parting->getSinglePredecessor();
  const auto* const branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
  return branch != nullptr && branch->isConditional() && calls(branch->getCondition(), call::kAll) &&
         branch->getSuccessor(1) == parting;
}

void double_region(const Split& split, const Blocks& region) {
  llvm::BasicBlock* const before = split.branch->getParent();
  llvm::ValueToValueMapTy map;
  clone_blocks(region, *before->getParent(), ".all", map);
  llvm::BasicBlock* const parting = llvm::SplitBlock(before, split.branch);  // joins get values from here now
  for (llvm::PHINode& phi : split.join->phis()) {
    for (llvm::BasicBlock* const block : region) {
      const int index = phi.getBasicBlockIndex(block);
      if (index < 0) continue;
      phi.addIncoming(mapped(map, phi.getIncomingValue(static_cast<unsigned>(index))),
                      llvm::cast<llvm::BasicBlock>(map[block]));
    }
  }
  llvm::IRBuilder<> builder(before->getTerminator());
  llvm::Value* const all = condition_of(builder, split.branch->getCondition(), split.on_true);
  builder.CreateCondBr(all, llvm::cast<llvm::BasicBlock>(map[split.region]), parting);
  before->getTerminator()->eraseFromParent();
}

// Runs all lanes together in a copy of the loop, then those that stay in the loop itself.
void double_loop(llvm::Loop& loop) {
  llvm::BasicBlock* const before = loop.getLoopPreheader();
  llvm::BasicBlock* const header = loop.getHeader();
  llvm::BasicBlock* const latch = loop.getLoopLatch();
  llvm::BasicBlock* const exit = loop.getExitBlock();
  llvm::Function& function = *header->getParent();
  llvm::ValueToValueMapTy map;
  clone_blocks(Blocks(loop.blocks()), function, ".all", map);
  auto* const together = llvm::cast<llvm::BasicBlock>(map[header]);
  auto* const end = llvm::cast<llvm::BranchInst>(llvm::cast<llvm::BasicBlock>(map[latch])->getTerminator());
  const bool on_true = end->getSuccessor(0) == together;
  llvm::BasicBlock* const parting = llvm::BasicBlock::Create(function.getContext(), "parting", &function, header);
  llvm::BasicBlock* const rest = llvm::BasicBlock::Create(function.getContext(), "rest", &function, header);
  llvm::BranchInst::Create(header, rest);
  llvm::IRBuilder<> builder(parting);
  builder.CreateCondBr(end->getCondition(), on_true ? rest : exit, on_true ? exit : rest);
  builder.SetInsertPoint(end);
  builder.CreateCondBr(condition_of(builder, end->getCondition(), on_true), together, parting);
  end->eraseFromParent();
  before->getTerminator()->replaceSuccessorWith(header, together);
  for (llvm::PHINode& phi : header->phis()) {
    const int index = phi.getBasicBlockIndex(before);
    phi.setIncomingValue(static_cast<unsigned>(index), mapped(map, phi.getIncomingValueForBlock(latch)));
    phi.setIncomingBlock(static_cast<unsigned>(index), rest);
  }
  for (llvm::PHINode& phi : exit->phis()) phi.addIncoming(mapped(map, phi.getIncomingValueForBlock(latch)), parting);
}

/// The code in which lanes may have diverged.
class Apart {
 public:
  Apart(llvm::Function& function, const Branches& branches)
      : branches_(branches), dominators_(function), loops_(dominators_) {}

  llvm::LoopInfo& loops() { return loops_; }
  bool in_region(const llvm::BasicBlock* block) const {
    for (const Split& split : branches_.splits()) {
      if (dominators_.dominates(split.region, block)) return true;
    }
    return false;
  }
  bool in_loop(const llvm::Loop* loop) const {
    for (; loop != nullptr; loop = loop->getParentLoop()) {
      if (branches_.is_left_one_by_one(loop)) return true;
    }
    return false;
  }
  Blocks region_of(const Split& split) const {
    Blocks blocks;
    dominators_.getDescendants(split.region, blocks);
    return blocks;
  }

 private:
  const Branches& branches_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
};

// Returns true if any region was duplicated.
bool double_regions(llvm::Function& kernel, const Branches& branches, std::size_t& budget) {
  Apart apart(kernel, branches);
  std::vector<std::pair<const Split*, Blocks>> chosen;
  for (const Split& split : branches.splits()) {
    llvm::BasicBlock* const block = split.branch->getParent();
    if (apart.in_region(block) || apart.in_loop(apart.loops().getLoopFor(block))) continue;
    Blocks region = apart.region_of(split);
    if (is_doubled(split) || !is_worth_doubling(region, budget)) continue;
    chosen.emplace_back(&split, std::move(region));
  }
  for (const auto& [split, region] : chosen) double_region(*split, region);
  return !chosen.empty();
}

bool double_loops(llvm::Function& kernel, const Branches& branches, std::size_t& budget) {
  Apart apart(kernel, branches);
  std::vector<llvm::Loop*> chosen;
  for (llvm::Loop* const loop : apart.loops().getLoopsInPreorder()) {
    const bool is_outermost = branches.is_left_one_by_one(loop) && !apart.in_loop(loop->getParentLoop());
    if (is_outermost && !apart.in_region(loop->getHeader()) && is_worth_doubling(Blocks(loop->blocks()), budget)) {
      chosen.push_back(loop);
    }
  }
  for (llvm::Loop* const loop : chosen) double_loop(*loop);
  return !chosen.empty();
}

}  // namespace

Status add_uniform_paths(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  std::size_t budget = kMaxDoubled;
  const auto run = [&](auto step) -> Result<bool> {
    KMUX_ASSIGN(const Branches branches,
                Branches::find(kernel, analyses.getResult<llvm::UniformityInfoAnalysis>(kernel)));
    const bool has_changed = step(kernel, branches, budget);
    analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
    return has_changed;
  };
  for (bool again = true; again;) {  // divergent branches in a copy are outermost there
    KMUX_ASSIGN(again, run(double_regions));
  }
  KMUX_TRY(run(double_loops));
  return Ok{};
}

}  // namespace kmux::simt
