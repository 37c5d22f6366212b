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
#include "spmd/divergence.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

struct ExpandVectorCasts : llvm::PassInfoMixin<ExpandVectorCasts> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    expand_vector_casts(function);
    return llvm::PreservedAnalyses::none();
  }
};

struct UnrollBarrierLoops : llvm::PassInfoMixin<UnrollBarrierLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    unroll_barrier_loops(function, analyses);
    return llvm::PreservedAnalyses::none();
  }
};

struct AddExits : llvm::PassInfoMixin<AddExits> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    add_exits_to_endless_loops(function, analyses);
    return llvm::PreservedAnalyses::none();
  }
};

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
  passes.addPass(UnrollBarrierLoops());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  add_clean_up(passes);
  passes.addPass(llvm::ADCEPass());
  // A loop without an exit that writes nothing is never reached: C++ guarantees that ([intro.progress]) for all but
  // while (true) {}.
  add_loop_pass(passes, llvm::LoopDeletionPass());
  add_branch_pass(passes);
  passes.addPass(ExpandVectorCasts());
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
void structure_regions(llvm::Function& kernel, bool in_step) {
  llvm::legacy::FunctionPassManager passes(kernel.getParent());
  passes.add(llvm::createTargetTransformInfoWrapperPass(divergence(in_step)));
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

void structure(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, bool in_step) {
  llvm::FunctionPassManager passes;
  add_scalar_passes(passes);
  passes.addPass(AddExits());
  add_structure_passes(passes);
  passes.run(kernel, analyses);
  structure_regions(kernel, in_step);
  llvm::EliminateUnreachableBlocks(kernel);
  keep_known_values(kernel);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager loops;
  loops.addPass(llvm::LoopSimplifyPass());
  loops.addPass(llvm::LCSSAPass());
  loops.run(kernel, analyses);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
}

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
  DivergentAnalyses lanes(/*in_step=*/false);
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

}  // namespace kmux::cpu::spmd
