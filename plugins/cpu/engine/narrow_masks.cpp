#include <bit>

#include "engine/pipeline.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace kmux::cpu {
namespace {

// How many elements `mask` has, if those are the first ones, a power of two of them and not all; else 0.
unsigned first_elements(const llvm::Value* mask) {
  const auto* const known = llvm::dyn_cast<llvm::Constant>(mask);
  if (known == nullptr) return 0;
  const unsigned all = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  unsigned count = 0;
  for (unsigned i = 0; i < all; ++i) {
    const auto* const one = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(i));
    if (one == nullptr || (one->isOne() && count != i)) return 0;
    count += one->isOne() ? 1 : 0;
  }
  return count != all && std::has_single_bit(count) ? count : 0;
}

llvm::SmallVector<int> places(unsigned count, unsigned all, unsigned others_from) {
  llvm::SmallVector<int> order;
  for (unsigned i = 0; i < all; ++i) order.push_back(static_cast<int>(i < count ? i : others_from + i));
  return order;
}

bool narrow_load(llvm::IntrinsicInst& load) {
  const unsigned count = first_elements(load.getArgOperand(2));
  if (count == 0) return false;
  llvm::IRBuilder<> builder(&load);
  const auto* const type = llvm::cast<llvm::FixedVectorType>(load.getType());
  const unsigned all = type->getNumElements();
  const llvm::Align align(llvm::cast<llvm::ConstantInt>(load.getArgOperand(1))->getZExtValue());
  llvm::Type* const narrow = llvm::FixedVectorType::get(type->getElementType(), count);
  llvm::Value* const loaded = builder.CreateAlignedLoad(narrow, load.getArgOperand(0), align);
  llvm::SmallVector<int> widen = places(count, all, 0);
  for (unsigned i = count; i < all; ++i) widen[i] = llvm::PoisonMaskElem;
  llvm::Value* const wide = builder.CreateShuffleVector(loaded, widen);
  load.replaceAllUsesWith(builder.CreateShuffleVector(wide, load.getArgOperand(3), places(count, all, all)));
  load.eraseFromParent();
  return true;
}

bool narrow_store(llvm::IntrinsicInst& store) {
  const unsigned count = first_elements(store.getArgOperand(3));
  if (count == 0) return false;
  llvm::IRBuilder<> builder(&store);
  const llvm::Align align(llvm::cast<llvm::ConstantInt>(store.getArgOperand(2))->getZExtValue());
  llvm::Value* const value = builder.CreateShuffleVector(store.getArgOperand(0), places(count, count, 0));
  builder.CreateAlignedStore(value, store.getArgOperand(1), align);
  store.eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses NarrowMasks::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool has_changed = false;
  for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const access = llvm::dyn_cast<llvm::IntrinsicInst>(&one);
    if (access == nullptr) continue;
    if (access->getIntrinsicID() == llvm::Intrinsic::masked_load) {
      has_changed |= narrow_load(*access);
    } else if (access->getIntrinsicID() == llvm::Intrinsic::masked_store) {
      has_changed |= narrow_store(*access);
    }
  }
  if (!has_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace kmux::cpu
