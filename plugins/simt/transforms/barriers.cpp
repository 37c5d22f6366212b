#include "simt/transforms/barriers.h"

#include <algorithm>
#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

constexpr std::uint64_t kAlignment = 64;

/// The spill frame of a warp, from one barrier to the next: its state, then values.
class Frame {
 public:
  Frame(llvm::Function& block, const WarpLoop& loop) : layout_(block.getDataLayout()) {
    llvm::IRBuilder<> builder(loop.header->getTerminator());
    size_ = builder.CreateLoad(builder.getInt64Ty(), llvm::PoisonValue::get(builder.getPtrTy()));  // known in finish()
    llvm::Value* const offset = builder.CreateMul(builder.CreateZExt(loop.warp, builder.getInt64Ty()), size_);
    begin_ = builder.CreateGEP(builder.getInt8Ty(), loop.memory, offset, "frame");
  }

  llvm::Value* state(llvm::IRBuilder<>& builder) { return at(builder, 0); }
  llvm::Value* at(llvm::IRBuilder<>& builder, std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), begin_, offset);
  }
  /// Returns the offset of a place for `size` bytes, at a multiple of kAlignment.
  std::uint64_t add(std::uint64_t size) {
    const std::uint64_t offset = bytes_;
    bytes_ += llvm::alignTo(size, kAlignment);
    return offset;
  }
  /// Returns the offset of a place for a value of `type`. Small values share cache lines, so that a block's frames stay
  /// in the first-level cache.
  std::uint64_t add(llvm::Type* type) {
    const std::uint64_t size =
        llvm::PowerOf2Ceil(std::max<std::uint64_t>(1, layout_.getTypeAllocSize(type).getFixedValue()));
    if (size >= kAlignment) return add(size);
    small_ = llvm::alignTo(small_, size);
    if (small_ % kAlignment == 0) small_ = add(kAlignment);
    const std::uint64_t offset = small_;
    small_ += size;
    return offset;
  }
  std::uint64_t finish() {
    size_->replaceAllUsesWith(llvm::ConstantInt::get(size_->getType(), bytes_));
    size_->eraseFromParent();
    return bytes_;
  }

 private:
  const llvm::DataLayout& layout_;
  llvm::LoadInst* size_;
  llvm::Value* begin_;
  std::uint64_t bytes_ = kAlignment;  // after the state's line
  std::uint64_t small_ = sizeof(std::uint32_t);  // of the next small value: after the state
};

template <class Predicate>
std::vector<llvm::CallInst*> calls_of(llvm::Function& block, Predicate is_one) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(block)) {
    if (is_one(&instruction)) found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  return found;
}

// Moves the variables of a warp's threads into its frame, where they stay valid across barriers.
void keep_variables(llvm::Function& block, Frame& frame, const WarpLoop& loop) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : block.getEntryBlock()) {
    if (auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) variables.push_back(variable);
  }
  for (llvm::AllocaInst* const variable : variables) {
    llvm::IRBuilder<> builder(loop.header->getTerminator());
    const std::uint64_t bytes = variable->getAllocationSize(block.getDataLayout())->getFixedValue();
    variable->replaceAllUsesWith(frame.at(builder, frame.add(bytes)));
    variable->eraseFromParent();
  }
}

// Returns the instruction at which `use` reads its value: for a phi, the end of the incoming basic block.
llvm::Instruction* place_of(const llvm::Use& use) {
  auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
  auto* const phi = llvm::dyn_cast<llvm::PHINode>(user);
  return phi == nullptr ? user : phi->getIncomingBlock(use)->getTerminator();
}

// Spills a value into the frame if a barrier lies between its definition and a use.
void keep_values(llvm::Function& block, Frame& frame) {
  const llvm::DominatorTree dominators(block);
  std::vector<std::pair<llvm::Instruction*, std::vector<llvm::Use*>>> parted;
  for (llvm::Instruction& value : llvm::instructions(block)) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : value.uses()) {
      if (!dominators.dominates(&value, place_of(use)) && &value != place_of(use)) uses.push_back(&use);
    }
    if (!uses.empty()) parted.emplace_back(&value, std::move(uses));
  }
  for (const auto& [value, uses] : parted) {
    const std::uint64_t offset = frame.add(value->getType());
    llvm::IRBuilder<> after(value->getParent(), llvm::isa<llvm::PHINode>(value)
                                                    ? value->getParent()->getFirstInsertionPt()
                                                    : std::next(value->getIterator()));
    after.CreateStore(value, frame.at(after, offset));
    for (llvm::Use* const use : uses) {
      llvm::IRBuilder<> before(place_of(*use));
      use->set(before.CreateLoad(value->getType(), frame.at(before, offset)));
    }
  }
}

/// The rounds of a block: in each, every warp resumes at its state, until all have ended.
class Rounds {
 public:
  Rounds(llvm::Function& block, const WarpLoop& loop, Frame& frame)
      : block_(block), loop_(loop), frame_(frame), builder_(block.getContext()) {}

  void write(const std::vector<llvm::CallInst*>& barriers) {
    begin_round();
    write_header(static_cast<unsigned>(barriers.size()));
    write_latch(static_cast<unsigned>(barriers.size()) + 1);
    for (llvm::CallInst* const barrier : barriers) write_barrier(*barrier);
    end_round();
  }
  llvm::Value* any_waits_for_grid() const { return loop_.goes_on == nullptr ? nullptr : grid_.after; }

 private:
  llvm::BasicBlock* add(const char* name) { return llvm::BasicBlock::Create(block_.getContext(), name, &block_); }
  void begin_round();
  void write_header(unsigned barriers);
  void write_latch(unsigned ended);
  void write_barrier(llvm::CallInst& barrier);
  void end_round();

  llvm::Function& block_;
  const WarpLoop& loop_;
  Frame& frame_;
  llvm::IRBuilder<> builder_;
  llvm::BasicBlock* const round_ = add("round");
  llvm::BasicBlock* const round_end_ = add("round.end");
  // The waits at barriers of one kind.
  struct Waits {
    llvm::BasicBlock* place = nullptr;  // reached by a warp that waits
    llvm::PHINode* before = nullptr;  // true if a warp before this one waits
    llvm::PHINode* after = nullptr;  // true if this one or one before waits
  };
  void write_waits(Waits& waits, Waits& others, llvm::BasicBlock* ends);

  Waits block_waits_{.place = add("waits")};
  Waits grid_{.place = add("waits.grid")};
  llvm::PHINode* is_first_ = nullptr;  // true in the first round
  llvm::SwitchInst* go_on_ = nullptr;  // by state
};

void Rounds::begin_round() {
  llvm::BasicBlock* const before = loop_.warp->getIncomingBlock(0);
  builder_.SetInsertPoint(round_);
  is_first_ = builder_.CreatePHI(builder_.getInt1Ty(), 2, "is_first");
  builder_.CreateBr(loop_.header);
  before->getTerminator()->replaceSuccessorWith(loop_.header, round_);
  loop_.warp->replaceIncomingBlockWith(before, round_);
  llvm::IRBuilder<> outside(before->getTerminator());
  llvm::Value* const begins = loop_.goes_on == nullptr ? builder_.getTrue() : outside.CreateNot(loop_.goes_on);
  is_first_->addIncoming(begins, before);
  is_first_->addIncoming(builder_.getFalse(), round_end_);
}

void Rounds::write_header(unsigned barriers) {
  auto* const enter = llvm::cast<llvm::BranchInst>(loop_.header->getTerminator());
  for (Waits* const waits : {&block_waits_, &grid_}) {
    waits->before = llvm::PHINode::Create(builder_.getInt1Ty(), 2, "any_waits", loop_.header->begin());
  }
  builder_.SetInsertPoint(enter);
  llvm::Value* const kept = builder_.CreateLoad(builder_.getInt32Ty(), frame_.state(builder_));
  llvm::Value* const state = builder_.CreateFreeze(builder_.CreateSelect(is_first_, builder_.getInt32(0), kept));
  go_on_ = builder_.CreateSwitch(state, loop_.latch, barriers + 1);
  go_on_->addCase(builder_.getInt32(0), enter->getSuccessor(0));
  enter->eraseFromParent();
}

// Redirects the ends of the body to the latch through a basic block that stores their new state.
void Rounds::write_latch(unsigned ended) {
  const std::vector<llvm::BasicBlock*> from(llvm::pred_begin(loop_.latch), llvm::pred_end(loop_.latch));
  llvm::BasicBlock* const ends = add("ends");
  for (llvm::BasicBlock* const one : from) {
    if (one != loop_.header) one->getTerminator()->replaceSuccessorWith(loop_.latch, ends);
  }
  builder_.SetInsertPoint(ends);
  builder_.CreateStore(builder_.getInt32(ended), frame_.state(builder_));
  builder_.CreateBr(loop_.latch);
  write_waits(block_waits_, grid_, ends);
  write_waits(grid_, block_waits_, ends);
}

void Rounds::write_waits(Waits& waits, Waits& others, llvm::BasicBlock* ends) {
  builder_.SetInsertPoint(waits.place);
  builder_.CreateBr(loop_.latch);
  waits.after = llvm::PHINode::Create(builder_.getInt1Ty(), 4, "waiting", loop_.latch->begin());
  for (llvm::BasicBlock* const from : {loop_.header, ends, others.place}) waits.after->addIncoming(waits.before, from);
  waits.after->addIncoming(builder_.getTrue(), waits.place);
  waits.before->addIncoming(builder_.getFalse(), round_);
  waits.before->addIncoming(waits.after, loop_.latch);
}

void Rounds::write_barrier(llvm::CallInst& barrier) {
  llvm::BasicBlock* const place = calls(&barrier, call::kGridBarrier) ? grid_.place : block_waits_.place;
  llvm::BasicBlock* const here = barrier.getParent();
  llvm::BasicBlock* const resumed = llvm::SplitBlock(here, &barrier);
  barrier.eraseFromParent();
  builder_.SetInsertPoint(here->getTerminator());
  const auto state = builder_.getInt32(go_on_->getNumCases());
  builder_.CreateStore(state, frame_.state(builder_));
  builder_.CreateBr(place);
  here->getTerminator()->eraseFromParent();
  go_on_->addCase(state, resumed);
}

void Rounds::end_round() {
  loop_.latch->getTerminator()->replaceSuccessorWith(loop_.exit, round_end_);
  builder_.SetInsertPoint(round_end_);
  builder_.CreateCondBr(block_waits_.after, round_, loop_.exit);
}

// Gives values that leave a loop without a barrier a phi behind the loop: they are spilled once, not in each iteration.
void part_values_from_loops(llvm::Function& block, const std::vector<llvm::CallInst*>& barriers) {
  const llvm::DominatorTree dominators(block);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
    const bool waits = llvm::any_of(barriers, [&](const llvm::CallInst* barrier) { return loop->contains(barrier); });
    if (!waits) llvm::formLCSSA(*loop, dominators, &loops, nullptr);
  }
}

WarpWaits add_waits(llvm::Function& block, const WarpLoop& loop, const std::vector<llvm::CallInst*>& barriers) {
  if (barriers.empty()) return {};
  part_values_from_loops(block, barriers);
  Frame frame(block, loop);
  Rounds rounds(block, loop, frame);
  rounds.write(barriers);
  keep_variables(block, frame, loop);
  keep_values(block, frame);
  return {frame.finish(), rounds.any_waits_for_grid()};
}

// Replaces the uses of `value` that `here` dominates by a separate phi.
void rename_from(llvm::BasicBlock& here, llvm::Instruction& value, const llvm::DominatorTree& dominators) {
  std::vector<llvm::Use*> uses;
  for (llvm::Use& use : value.uses()) {
    if (dominators.dominates(&here, place_of(use)->getParent())) uses.push_back(&use);
  }
  if (uses.empty()) return;
  llvm::PHINode* const own = llvm::PHINode::Create(value.getType(), 1, value.getName(), here.begin());
  own->addIncoming(&value, here.getSinglePredecessor());
  for (llvm::Use* const use : uses) use->set(own);
}

// Spills a value of a loop when its block yields at one of `turns`, not in each iteration.
void keep_at_turns(llvm::Function& group, const WarpLoop& loop, const std::vector<llvm::CallInst*>& turns) {
  const llvm::DominatorTree dominators(group);
  const llvm::LoopInfo loops(dominators);
  const unsigned depth = loops.getLoopDepth(loop.header);
  for (llvm::CallInst* const turn : turns) {
    llvm::BasicBlock& here = *turn->getParent();
    for (llvm::BasicBlock& block : group) {
      if (&block == &here || loops.getLoopDepth(&block) <= depth || !dominators.dominates(&block, &here)) continue;
      for (llvm::Instruction& value : block) rename_from(here, value, dominators);
    }
  }
}

// In unrolled code, each instruction would advance by a whole block. Processors look farther ahead if it advances by
// less, and the rolled loop is an eighth of the code to compile.
void keep_rolled(llvm::Instruction& latch) {
  llvm::LLVMContext& context = latch.getContext();
  llvm::MDNode* const mark = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* const loop = llvm::MDNode::getDistinct(context, {nullptr, mark});
  loop->replaceOperandWith(0, loop);  // by LLVM's convention, the first operand is the node itself
  latch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

WarpLoop begin_loop(llvm::IRBuilder<>& builder, const char* name, llvm::Value* count, llvm::BasicBlock* exit) {
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const header = llvm::BasicBlock::Create(builder.getContext(), name, before->getParent());
  llvm::BasicBlock* const latch = llvm::BasicBlock::Create(builder.getContext(), "next", before->getParent());
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  llvm::PHINode* const number = builder.CreatePHI(builder.getInt32Ty(), 2, name);
  number->addIncoming(builder.getInt32(0), before);
  return {number, header, latch, exit, count, nullptr, nullptr};
}

void end_loop(llvm::IRBuilder<>& builder, const WarpLoop& loop) {
  builder.SetInsertPoint(loop.latch);
  llvm::Value* const next = builder.CreateAdd(loop.warp, builder.getInt32(1), "", true, true);
  builder.CreateCondBr(builder.CreateICmpULT(next, loop.count), loop.header, loop.exit);
  loop.warp->addIncoming(next, loop.latch);
}

WarpWaits add_barriers(llvm::Function& block, const WarpLoop& loop) {
  std::vector<llvm::CallInst*> barriers = calls_of(block, is_barrier);
  const auto* const count = llvm::dyn_cast<llvm::ConstantInt>(loop.count);
  if (count == nullptr || !count->isOne()) {
    if (barriers.empty()) keep_rolled(*loop.latch->getTerminator());
  } else {
    std::erase_if(barriers, [](llvm::CallInst* const barrier) {
      const bool is_of_block = calls(barrier, call::kBarrier);
      if (is_of_block) barrier->eraseFromParent();
      return is_of_block;
    });
  }
  return add_waits(block, loop, barriers);
}

std::uint64_t add_time_slices(llvm::Function& group, const WarpLoop& loop) {
  const std::vector<llvm::CallInst*> turns =
      calls_of(group, [](const llvm::Instruction* one) { return calls(one, call::kTurn); });
  keep_at_turns(group, loop, turns);
  return add_waits(group, loop, turns).frame_bytes;
}

}  // namespace kmux::simt
