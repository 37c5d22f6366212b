// Prefetches where no hardware prefetcher helps: the data that a block reads in one grid stride is far from the data of
// the next.
#include "simt/transforms/prefetches.h"

#include <algorithm>
#include <vector>

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "simt/analysis/block_shape.h"
#include "simt/analysis/grid_rows.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

constexpr unsigned kNear = 1 << 17;  // array elements that caches may hold
constexpr unsigned kIterationsAhead = 16;
constexpr unsigned kTurn = 8;  // iterations of a time slice
constexpr unsigned kAheadInTurns = 8;
constexpr std::uint64_t kMaxKept = 4 << 10;  // bytes that a block keeps between time slices
constexpr unsigned kLine = 64;  // bytes of a cache line
constexpr unsigned kMaxDepth = 8;  // of an expression that is searched

/// An index that advances by a grid stride in each iteration.
struct Stride {
  llvm::PHINode* index;
  llvm::Value* step;
};

// Returns true if `value` is computed from the extent of the grid.
bool is_of_grid(const llvm::Value* value, unsigned depth = 0) {
  if (called(value).starts_with("kmux.grid_dim.")) return true;
  const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth == kMaxDepth || llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction))
    return false;
  return std::ranges::any_of(instruction->operands(),
                             [&](const llvm::Use& operand) { return is_of_grid(operand, depth + 1); });
}

std::vector<Stride> strides_of(const llvm::Loop& loop) {
  std::vector<Stride> strides;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    auto* const next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!phi.getType()->isIntegerTy() || next == nullptr || next->getOpcode() != llvm::Instruction::Add) continue;
    for (unsigned i = 0; i < 2; ++i) {
      llvm::Value* const step = next->getOperand(i);
      if (next->getOperand(1 - i) == &phi && loop.isLoopInvariant(step) && is_of_grid(step))
        strides.push_back({&phi, step});
    }
  }
  return strides;
}

// Returns the type of the vector that `one` loads or stores, or null.
llvm::FixedVectorType* vector_of(llvm::Instruction& one) {
  const bool is_access = llvm::getLoadStorePointerOperand(&one) != nullptr;
  return is_access ? llvm::dyn_cast<llvm::FixedVectorType>(llvm::getLoadStoreType(&one)) : nullptr;
}

/// Addresses as they will be when some of the values in them have changed.
class Ahead {
 public:
  /// Sets `value` to `to` from here on.
  void change(llvm::Value* value, llvm::Value* to) { changed_[value] = to; }
  /// Keeps values that are computed outside of `blocks`.
  void keep_outside(llvm::ArrayRef<llvm::BasicBlock*> blocks) { within_.insert(blocks.begin(), blocks.end()); }
  /// Prefetches, at the insertion point of `builder`, the data that `access` will reach then.
  void ask(llvm::IRBuilder<>& builder, llvm::Instruction& access);

 private:
  llvm::Value* of(llvm::IRBuilder<>& builder, llvm::Value* value);
  llvm::Value* copy_of(llvm::IRBuilder<>& builder, llvm::Instruction& instruction);

  llvm::DenseMap<llvm::Value*, llvm::Value*> changed_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> known_;  // at the place of a prefetch
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> within_;  // all, if empty
};

// Returns the future value of `value`, an address or a part of one: itself if it does not change, null if that is not
// known.
llvm::Value* Ahead::of(llvm::IRBuilder<>& builder, llvm::Value* value) {
  if (const auto found = changed_.find(value); found != changed_.end()) return found->second;
  auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || (!within_.empty() && !within_.contains(instruction->getParent()))) return value;
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  llvm::Value* const copy = copy_of(builder, *instruction);
  return known_[value] = copy;
}

llvm::Value* Ahead::copy_of(llvm::IRBuilder<>& builder, llvm::Instruction& instruction) {
  if (llvm::isa<llvm::PHINode>(instruction)) return nullptr;
  llvm::SmallVector<llvm::Value*> operands;
  for (llvm::Value* const operand : instruction.operands()) {
    operands.push_back(of(builder, operand));
    if (operands.back() == nullptr) return nullptr;
  }
  if (std::ranges::equal(operands, instruction.operand_values())) return &instruction;
  const bool is_plain = llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::BinaryOperator>(instruction);
  if (!is_plain || instruction.isIntDivRem()) return nullptr;
  llvm::Instruction* const copy = instruction.clone();
  for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
  copy->dropPoisonGeneratingFlags();  // it may be past the end
  return builder.Insert(copy);
}

void Ahead::ask(llvm::IRBuilder<>& builder, llvm::Instruction& access) {
  llvm::Value* const address = llvm::getLoadStorePointerOperand(&access);
  known_.clear();
  llvm::Value* const then = of(builder, address);
  if (then == nullptr || then == address) return;
  prefetch(builder, then, *llvm::getLoadStoreType(&access));
}

/// The copy of a loop that runs once the loop has covered more memory than caches hold.
class FarLoop {
 public:
  FarLoop(llvm::Loop& loop, std::vector<Stride> strides, bool takes_turns)
      : loop_(loop),
        strides_(std::move(strides)),
        takes_turns_(takes_turns),
        header_(*loop.getHeader()),
        latch_(*loop.getLoopLatch()),
        before_(*loop.getLoopPreheader()),
        exit_(*loop.getExitBlock()),
        function_(*latch_.getParent()) {}

  void write() {
    clone();
    count();
    enter();
    ask_ahead();
    if (takes_turns_) take_turns();
  }

 private:
  llvm::BasicBlock* add(const char* name) { return llvm::BasicBlock::Create(function_.getContext(), name, &function_); }
  template <class T>
  T* far(T* value) const {
    const auto found = map_.find(value);
    return found == map_.end() ? value : llvm::cast<T>(static_cast<llvm::Value*>(found->second));
  }
  void clone();
  void count();
  void enter();
  void ask_ahead();
  void take_turns();

  llvm::Loop& loop_;
  const std::vector<Stride> strides_;
  const bool takes_turns_;
  llvm::BasicBlock& header_;
  llvm::BasicBlock& latch_;
  llvm::BasicBlock& before_;
  llvm::BasicBlock& exit_;
  llvm::Function& function_;
  llvm::ValueToValueMapTy map_;
  llvm::SmallVector<llvm::BasicBlock*> blocks_;
  llvm::BasicBlock* const enough_ = add("enough");
  llvm::BasicBlock* const far_ = add("far");
  Ahead later_;
};

void FarLoop::clone() {
  for (llvm::BasicBlock* const block : loop_.blocks()) {
    blocks_.push_back(llvm::CloneBasicBlock(block, map_, ".far", &function_));
    map_[block] = blocks_.back();
  }
  llvm::remapInstructionsInBlocks(blocks_, map_);
}

// The loop itself runs until it has covered kNear elements.
void FarLoop::count() {
  llvm::Value* const step = strides_.front().step;
  llvm::Type* const type = step->getType();
  llvm::IRBuilder<> builder(&header_, header_.begin());
  llvm::PHINode* const gone = builder.CreatePHI(type, 2, "gone");
  builder.SetInsertPoint(latch_.getTerminator());
  llvm::Value* const next = builder.CreateAdd(gone, step);
  latch_.getTerminator()->replaceSuccessorWith(&header_, enough_);
  header_.replacePhiUsesWith(&latch_, enough_);
  gone->addIncoming(llvm::ConstantInt::get(type, 0), &before_);
  gone->addIncoming(next, enough_);
  builder.SetInsertPoint(enough_);
  builder.CreateCondBr(builder.CreateICmpULT(next, llvm::ConstantInt::get(type, kNear)), &header_, far_);
  llvm::BranchInst::Create(far(&header_), far_);
}

// The copy begins with the values with which the loop would continue.
void FarLoop::enter() {
  for (llvm::PHINode& phi : header_.phis()) {
    if (map_.find(&phi) == map_.end()) continue;  // the count of covered elements
    llvm::PHINode* const copy = far(&phi);
    const auto index = static_cast<unsigned>(copy->getBasicBlockIndex(&before_));
    copy->setIncomingValue(index, phi.getIncomingValueForBlock(enough_));
    copy->setIncomingBlock(index, far_);
  }
  for (llvm::PHINode& phi : exit_.phis()) {
    phi.addIncoming(far(phi.getIncomingValueForBlock(&latch_)), far(&latch_));
  }
}

void FarLoop::ask_ahead() {
  later_.keep_outside(blocks_);
  for (const Stride& stride : llvm::reverse(strides_)) {  // each before the last, so that they end up in order
    llvm::IRBuilder<> before(far_->getTerminator());
    llvm::Type* const type = stride.step->getType();
    llvm::Value* const steps =
        before.CreateMul(stride.step, llvm::ConstantInt::get(type, takes_turns_ ? kAheadInTurns : kIterationsAhead));
    llvm::PHINode* const index = far(stride.index);
    llvm::IRBuilder<> first(index->getParent(), index->getParent()->getFirstInsertionPt());
    later_.change(index, first.CreateAdd(index, steps));
  }
  for (llvm::BasicBlock* const block : blocks_) {
    for (llvm::Instruction& one : llvm::make_early_inc_range(*block)) {
      if (vector_of(one) == nullptr) continue;
      llvm::IRBuilder<> builder(&one);
      later_.ask(builder, one);
    }
  }
}

// Yields to other blocks after the first iteration, and then after every few.
void FarLoop::take_turns() {
  llvm::BasicBlock& header = *far(&header_);
  llvm::BasicBlock& latch = *far(&latch_);
  llvm::BasicBlock* const more = add("more");
  llvm::BasicBlock* const pause = add("pause");
  llvm::IRBuilder<> builder(pause);
  make_call(builder, call::kTurn, builder.getVoidTy());
  builder.CreateBr(&header);
  latch.getTerminator()->replaceSuccessorWith(&header, more);
  header.replacePhiUsesWith(&latch, more);
  for (llvm::PHINode& phi : header.phis()) phi.addIncoming(phi.getIncomingValueForBlock(more), pause);
  builder.SetInsertPoint(&header, header.begin());
  llvm::PHINode* const left = builder.CreatePHI(builder.getInt32Ty(), 3, "left");
  builder.SetInsertPoint(more);
  llvm::Value* const next = builder.CreateSub(left, builder.getInt32(1));
  builder.CreateCondBr(builder.CreateICmpEQ(next, builder.getInt32(0)), pause, &header);
  left->addIncoming(builder.getInt32(1), far_);
  left->addIncoming(next, more);
  left->addIncoming(builder.getInt32(kTurn), pause);
}

bool has_vectors(const llvm::Loop& loop) {
  return std::ranges::any_of(loop.blocks(), [](llvm::BasicBlock* block) {
    return std::ranges::any_of(*block, [](llvm::Instruction& one) { return vector_of(one) != nullptr; });
  });
}

bool is_fit(const llvm::Loop& loop) {
  return loop.isInnermost() && loop.isLoopSimplifyForm() && loop.getExitingBlock() == loop.getLoopLatch() &&
         loop.getExitBlock() != nullptr && has_vectors(loop);
}

std::uint64_t bytes_of(llvm::iterator_range<llvm::BasicBlock::const_phi_iterator> phis) {
  std::uint64_t bytes = 0;
  for (const llvm::PHINode& phi : phis) bytes += phi.getDataLayout().getTypeAllocSize(phi.getType()).getFixedValue();
  return bytes;
}

// Returns true if blocks may run `loop` in time slices. Before it and in it they must not write memory of their block,
// so that they may run in any order.
bool may_take_turns(const llvm::Loop& loop, const BlockShape& shape) {
  const llvm::BasicBlock& header = *loop.getHeader();
  if (!shape.are_all_in_lockstep() || loop.getLoopDepth() > 1 || bytes_of(header.phis()) > kMaxKept) return false;
  const llvm::Function& warp = *header.getParent();
  const bool has_variables =
      llvm::any_of(llvm::instructions(warp), [](const auto& one) { return llvm::isa<llvm::AllocaInst>(one); });
  if (has_variables || has_call(warp, call::kGridBarrier)) return false;
  return llvm::all_of(llvm::inverse_depth_first(&header),
                      [](const llvm::BasicBlock* before) { return std::ranges::all_of(*before, is_harmless); });
}

}  // namespace

void prefetch(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Type& type) {
  constexpr unsigned kToRead = 0, kSecondLevel = 2, kData = 1;
  const llvm::DataLayout& layout = builder.GetInsertBlock()->getDataLayout();
  const std::uint64_t bytes = layout.getTypeStoreSize(&type).getFixedValue();
  for (std::uint64_t line = 0; line < bytes; line += kLine) {
    builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder.getPtrTy()},
                            {builder.CreateConstGEP1_64(builder.getInt8Ty(), address, line), builder.getInt32(kToRead),
                             builder.getInt32(kSecondLevel), builder.getInt32(kData)});
  }
}

llvm::PreservedAnalyses PrefetchPass::run(llvm::Function& warp, llvm::FunctionAnalysisManager&) {
  llvm::DominatorTree dominators(warp);
  llvm::LoopInfo loops(dominators);
  std::vector<std::pair<llvm::Loop*, std::vector<Stride>>> chosen;
  for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
    if (!is_fit(*loop)) continue;
    std::vector<Stride> strides = strides_of(*loop);
    if (strides.empty()) continue;
    llvm::formLCSSA(*loop, dominators, &loops, nullptr);
    chosen.emplace_back(loop, std::move(strides));
  }
  const auto turning =
      std::ranges::find_if(chosen, [&](const auto& one) { return may_take_turns(*one.first, shape_); });
  for (auto one = chosen.begin(); one != chosen.end(); ++one)
    FarLoop(*one->first, std::move(one->second), one == turning).write();
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
