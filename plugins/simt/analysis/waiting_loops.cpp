#include "simt/analysis/waiting_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

// Returns true for an addition of 0, which often stands for an atomic read.
bool is_read(const llvm::AtomicRMWInst& update) {
  using namespace llvm::PatternMatch;
  const auto operation = update.getOperation();
  return match(update.getValOperand(), m_Zero()) &&
         (operation == llvm::AtomicRMWInst::Add || operation == llvm::AtomicRMWInst::Or);
}

bool is_swap(const llvm::Instruction& one) {
  const auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&one);
  return llvm::isa<llvm::AtomicCmpXchgInst>(one) ||
         (update != nullptr && update->getOperation() == llvm::AtomicRMWInst::Xchg);
}

// Returns the place that `one` reads or swaps, invariant in `loop`, or null. Other atomic operations let threads
// proceed that do not wait.
const llvm::Value* polled_place(const llvm::Instruction& one, const llvm::Loop& loop) {
  const auto is_same = [&](const llvm::Value* operand) { return loop.isLoopInvariant(operand); };
  if (!llvm::all_of(one.operand_values(), is_same)) return nullptr;
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&one);
  if (load != nullptr && !load->isUnordered()) return load->getPointerOperand();
  const auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&one);
  if (update != nullptr && (is_read(*update) || is_swap(one))) return update->getPointerOperand();
  const auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&one);
  return swap == nullptr ? nullptr : swap->getPointerOperand();
}

// Returns true if `condition` is `is_true` for only one thread of a warp, as it compares a divergent number for
// equality. A uniform condition holds for all threads.
bool is_of_one(const llvm::Value* condition, bool is_true, const llvm::UniformityInfo& uniformity) {
  using namespace llvm::PatternMatch;
  const llvm::Value* a = nullptr;
  const llvm::Value* b = nullptr;
  if (match(condition, m_Not(m_Value(a)))) return is_of_one(a, !is_true, uniformity);
  const bool is_both = is_true ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                               : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (is_both) return is_of_one(a, is_true, uniformity) || is_of_one(b, is_true, uniformity);
  const auto* const compared = llvm::dyn_cast<llvm::ICmpInst>(condition);
  return compared != nullptr && uniformity.isDivergent(compared) &&
         compared->getPredicate() == (is_true ? llvm::ICmpInst::ICMP_EQ : llvm::ICmpInst::ICMP_NE);
}

// Returns true if only one thread of a warp reaches `block`. Uniformity is that of one warp, even if several run in
// lockstep.
bool is_for_one(llvm::BasicBlock& block, const llvm::DominatorTree& dominators) {
  DivergentAnalyses lanes(/*in_lockstep=*/false);
  const auto& uniformity = lanes.functions.getResult<llvm::UniformityInfoAnalysis>(*block.getParent());
  for (const auto* node = dominators.getNode(&block)->getIDom(); node != nullptr; node = node->getIDom()) {
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (branch == nullptr || branch->isUnconditional()) continue;
    for (const unsigned way : {0U, 1U}) {
      const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(way));
      if (dominators.dominates(edge, &block) && is_of_one(branch->getCondition(), way == 0, uniformity)) return true;
    }
  }
  return false;
}

// Returns true if an exit condition of `loop` depends on `value`, an instruction in the loop.
bool ends_by(const llvm::Loop& loop, const llvm::Value& value) {
  llvm::SmallVector<const llvm::Value*> left;
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  for (const llvm::BasicBlock* const block : exiting) left.push_back(block->getTerminator());
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  while (!left.empty()) {
    const auto* const one = llvm::dyn_cast<llvm::Instruction>(left.pop_back_val());
    if (one == nullptr || !loop.contains(one) || !seen.insert(one).second) continue;
    if (one == &value) return true;
    left.append(one->value_op_begin(), one->value_op_end());
  }
  return false;
}

// Returns true if `poll`, of `place`, waits for another thread of the block.
bool is_wait(const llvm::Instruction& poll, const llvm::Value* place, const llvm::Loop& loop,
             const llvm::DominatorTree& dominators) {
  if (!ends_by(loop, poll)) return false;
  return is_of_block(place) || (is_swap(poll) && !is_for_one(*loop.getHeader(), dominators));
}

// Returns the instruction by which threads wait for others of their block in `loop`, which must have no other effects,
// or null.
const llvm::Instruction* wait_in(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  const llvm::Instruction* wait = nullptr;
  for (const llvm::BasicBlock* const block : loop.blocks()) {
    for (const llvm::Instruction& one : *block) {
      const llvm::Value* const place = polled_place(one, loop);
      if (place == nullptr && one.mayHaveSideEffects() && !llvm::isa<llvm::FenceInst>(one)) return nullptr;
      if (place != nullptr && is_wait(one, place, loop, dominators)) wait = &one;
    }
  }
  return wait;
}

}  // namespace

Status check_waits(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(kernel);
  for (const llvm::Loop* const loop : analyses.getResult<llvm::LoopAnalysis>(kernel).getLoopsInPreorder()) {
    const llvm::Instruction* const wait = wait_in(*loop, dominators);
    if (wait == nullptr) continue;
    return make_error(ErrorCode::kUnsupported,
                      "kernel \"" + kernel.getName().str() +
                          "\" has threads wait for others of their block in a loop. Have them wait at barriers" +
                          location_of(*wait));
  }
  return Ok{};
}

}  // namespace kmux::simt
