#include "simt/transforms/thread_indices.h"

#include <array>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {

unsigned seen_warp(const llvm::Function& kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    for (const std::string_view name : {call::kShuffle, call::kBallot, call::kLane, call::kSyncWarp}) {
      if (!calls(&instruction, name)) continue;
      const llvm::StringRef whole = llvm::cast<llvm::CallInst>(instruction).getCalledFunction()->getName();
      return whole.ends_with(call::kOfWideWarp) ? 64 : 32;
    }
  }
  return 0;
}

// Lanes of a warp run in lockstep: they need neither masks of participants nor waits.
llvm::PreservedAnalyses EraseWarpBarriersPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager&) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (calls(&instruction, call::kParticipants) || calls(&instruction, call::kSyncWarp)) instruction.eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

namespace {

// Returns the index of the warp in dimension `i`: threadIdx of its first thread divided by the warp's extent. It is 0
// where the block is one warp wide.
llvm::Value* warp_in(llvm::IRBuilder<>& builder, const BlockShape& shape, unsigned i) {
  if (shape.order == BlockShape::Order::kRows && (*shape.extents)[i] == (i == 0 ? shape.lanes : 1))
    return builder.getInt32(0);
  return make_call(builder, call::kWarp[i], builder.getInt32Ty(), {builder.getInt32(0)});
}

// Returns the index of the thread in the block, or in its row if a warp lies in one.
llvm::Value* linear_index(llvm::IRBuilder<>& builder, const BlockShape& shape) {
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::Value* const first = builder.CreateShl(warp_in(builder, shape, 0), llvm::Log2_32(shape.lanes), "", true, true);
  return builder.CreateAdd(first, make_call(builder, call::kLane, i32), "thread", true, true);
}

std::array<llvm::Value*, 3> thread_index(llvm::IRBuilder<>& builder, const BlockShape& shape, llvm::Value* index) {
  llvm::Type* const i32 = builder.getInt32Ty();
  if (shape.order == BlockShape::Order::kRows) {
    return {index, warp_in(builder, shape, 1), warp_in(builder, shape, 2)};
  }
  if (shape.order == BlockShape::Order::kLine) return {index, builder.getInt32(0), builder.getInt32(0)};
  llvm::Value* const x = make_call(builder, call::kBlockDim[0], i32);
  llvm::Value* const y = make_call(builder, call::kBlockDim[1], i32);
  llvm::Value* const row = builder.CreateUDiv(index, x);
  return {builder.CreateURem(index, x), builder.CreateURem(row, y), builder.CreateUDiv(row, y)};
}

// Runs `body` only for the threads that the block has.
void guard(llvm::IRBuilder<>& builder, llvm::BasicBlock* body, llvm::Value* index) {
  llvm::Type* const i32 = builder.getInt32Ty();
  llvm::Value* count = builder.getInt32(1);
  for (const std::string_view name : call::kBlockDim) count = builder.CreateMul(count, make_call(builder, name, i32));
  llvm::BasicBlock* const none = llvm::BasicBlock::Create(builder.getContext(), "none", body->getParent());
  llvm::ReturnInst::Create(builder.getContext(), none);
  llvm::Instruction* const end = &*builder.GetInsertPoint();
  builder.CreateCondBr(builder.CreateICmpULT(index, count), body, none);
  end->eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses ThreadIndicesPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager&) {
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  llvm::BasicBlock* const body = llvm::SplitBlock(&entry, &*entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::IRBuilder<> builder(entry.getTerminator());
  llvm::Value* const linear = linear_index(builder, shape_);
  const std::array<llvm::Value*, 3> index = thread_index(builder, shape_, linear);
  for (unsigned i = 0; i < 3; ++i) replace_calls(kernel, call::kThread[i], index[i]);
  if (!shape_.is_whole()) guard(builder, body, linear);
  if (!shape_.extents) return llvm::PreservedAnalyses::none();
  for (unsigned i = 0; i < 3; ++i) replace_calls(kernel, call::kBlockDim[i], builder.getInt32((*shape_.extents)[i]));
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
