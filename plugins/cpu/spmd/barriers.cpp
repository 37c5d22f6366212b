#include "spmd/barriers.h"

#include <vector>

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

constexpr std::uint64_t kAlignment = 64;

/// What a warp keeps from one barrier to the next: its state, then values.
class Frame {
 public:
  Frame(llvm::Function& block, const WarpLoop& loop) : layout_(block.getDataLayout()), loop_(loop) {
    llvm::IRBuilder<> builder(loop.header->getTerminator());
    size_ = builder.CreateLoad(builder.getInt64Ty(), llvm::PoisonValue::get(builder.getPtrTy()));  // known in the end
    llvm::Value* const offset = builder.CreateMul(builder.CreateZExt(loop.warp, builder.getInt64Ty()), size_);
    begin_ = builder.CreateGEP(builder.getInt8Ty(), loop.memory, offset, "frame");
  }

  llvm::Value* state(llvm::IRBuilder<>& builder) { return at(builder, 0); }
  llvm::Value* at(llvm::IRBuilder<>& builder, std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), begin_, offset);
  }
  std::uint64_t add(llvm::Type* type) {
    const std::uint64_t offset = bytes_;
    const std::uint64_t size = layout_.getTypeAllocSize(type).getFixedValue();
    bytes_ += (size + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  }
  std::uint64_t finish() {
    size_->replaceAllUsesWith(llvm::ConstantInt::get(size_->getType(), bytes_));
    size_->eraseFromParent();
    return bytes_;
  }

 private:
  const llvm::DataLayout& layout_;
  const WarpLoop& loop_;
  llvm::LoadInst* size_;
  llvm::Value* begin_;
  std::uint64_t bytes_ = kAlignment;  // behind the state
};

std::vector<llvm::CallInst*> barriers_of(llvm::Function& block) {
  std::vector<llvm::CallInst*> barriers;
  for (llvm::Instruction& instruction : llvm::instructions(block)) {
    if (calls(&instruction, call::kBarrier)) barriers.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  return barriers;
}

// Its own memory: a thread's variables, which stay from one barrier to the next.
void keep_variables(llvm::Function& block, Frame& frame, const WarpLoop& loop) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : block.getEntryBlock()) {
    if (auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) variables.push_back(variable);
  }
  for (llvm::AllocaInst* const variable : variables) {
    llvm::IRBuilder<> builder(loop.header->getTerminator());
    llvm::Type* const bytes =
        llvm::ArrayType::get(builder.getInt8Ty(), variable->getAllocationSize(block.getDataLayout())->getFixedValue());
    variable->replaceAllUsesWith(frame.at(builder, frame.add(bytes)));
    variable->eraseFromParent();
  }
}

// A use takes its value from where the flow of control comes from, if it is one of a phi.
llvm::Instruction* place_of(const llvm::Use& use) {
  auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
  auto* const phi = llvm::dyn_cast<llvm::PHINode>(user);
  return phi == nullptr ? user : phi->getIncomingBlock(use)->getTerminator();
}

// A value that a barrier parts from a use is kept in the frame.
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

}  // namespace

std::uint64_t add_barriers(llvm::Function& block, const WarpLoop& loop) {
  const std::vector<llvm::CallInst*> barriers = barriers_of(block);
  if (barriers.empty()) return 0;
  llvm::LLVMContext& context = block.getContext();
  Frame frame(block, loop);
  llvm::IRBuilder<> builder(context);
  llvm::Type* const i32 = builder.getInt32Ty();
  const auto ended = builder.getInt32(static_cast<unsigned>(barriers.size()) + 1);

  // A round: each warp goes on at its state, until all have ended.
  llvm::BasicBlock* const before = loop.header->getSinglePredecessor() ? nullptr : loop.warp->getIncomingBlock(0);
  llvm::BasicBlock* const round = llvm::BasicBlock::Create(context, "round", &block, loop.header);
  llvm::BasicBlock* const round_end = llvm::BasicBlock::Create(context, "round.end", &block);
  llvm::BasicBlock* const waits = llvm::BasicBlock::Create(context, "waits", &block);
  builder.SetInsertPoint(round);
  llvm::PHINode* const is_first = builder.CreatePHI(builder.getInt1Ty(), 2, "is_first");
  builder.CreateBr(loop.header);
  before->getTerminator()->replaceSuccessorWith(loop.header, round);
  loop.warp->replaceIncomingBlockWith(before, round);
  is_first->addIncoming(builder.getTrue(), before);
  is_first->addIncoming(builder.getFalse(), round_end);

  // Header: state -> where to go on.
  auto* const enter = llvm::cast<llvm::BranchInst>(loop.header->getTerminator());
  llvm::BasicBlock* const body = enter->getSuccessor(0);
  builder.SetInsertPoint(loop.header, loop.header->getFirstInsertionPt());
  llvm::PHINode* const any_waits = llvm::PHINode::Create(builder.getInt1Ty(), 2, "any_waits", loop.header->begin());
  builder.SetInsertPoint(enter);
  llvm::Value* const kept_state =
      builder.CreateSelect(is_first, builder.getInt32(0), builder.CreateLoad(i32, frame.state(builder)));
  llvm::SwitchInst* const go_on =
      builder.CreateSwitch(builder.CreateFreeze(kept_state), loop.latch, static_cast<unsigned>(barriers.size()) + 1);
  go_on->addCase(builder.getInt32(0), body);
  enter->eraseFromParent();

  // The body's ends come to the latch by way of their new state.
  llvm::BasicBlock* const ends = llvm::BasicBlock::Create(context, "ends", &block);
  std::vector<llvm::BasicBlock*> from(llvm::pred_begin(loop.latch), llvm::pred_end(loop.latch));
  for (llvm::BasicBlock* const one : from) {
    if (one != loop.header) one->getTerminator()->replaceSuccessorWith(loop.latch, ends);
  }
  builder.SetInsertPoint(ends);
  builder.CreateStore(ended, frame.state(builder));
  builder.CreateBr(loop.latch);
  builder.SetInsertPoint(waits);
  builder.CreateBr(loop.latch);
  llvm::PHINode* const waiting = llvm::PHINode::Create(builder.getInt1Ty(), 3, "waiting", loop.latch->begin());
  waiting->addIncoming(any_waits, loop.header);
  waiting->addIncoming(any_waits, ends);
  waiting->addIncoming(builder.getTrue(), waits);
  any_waits->addIncoming(builder.getFalse(), round);
  any_waits->addIncoming(waiting, loop.latch);

  for (std::size_t i = 0; i < barriers.size(); ++i) {
    llvm::BasicBlock* const here = barriers[i]->getParent();
    llvm::BasicBlock* const resumed = llvm::SplitBlock(here, barriers[i]);
    barriers[i]->eraseFromParent();
    builder.SetInsertPoint(here->getTerminator());
    const auto state = builder.getInt32(static_cast<unsigned>(i) + 1);
    builder.CreateStore(state, frame.state(builder));
    builder.CreateBr(waits);
    here->getTerminator()->eraseFromParent();
    go_on->addCase(state, resumed);
  }

  // The last warp of a round.
  loop.latch->getTerminator()->replaceSuccessorWith(loop.exit, round_end);
  builder.SetInsertPoint(round_end);
  builder.CreateCondBr(waiting, round, loop.exit);
  keep_variables(block, frame, loop);
  keep_values(block, frame);
  return frame.finish();
}

}  // namespace kmux::cpu::spmd
