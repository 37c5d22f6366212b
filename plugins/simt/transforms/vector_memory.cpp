// Passes for the memory accesses of vectors.
#include "simt/transforms/vector_memory.h"

#include <bit>
#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "simt/transforms/vectorize.h"

namespace kmux::simt {
namespace {

/// Some bits of an element of a vector, from `offset` on.
struct Piece {
  llvm::Value* vector;
  unsigned element;
  std::uint64_t offset;
};

// Returns the operand from which the bits of `piece` come; empty if it is unknown.
std::optional<Piece> step_back(const Piece& piece) {
  using namespace llvm::PatternMatch;
  if (auto* const shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(piece.vector)) {
    const auto* const type = llvm::cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType());
    const int place = shuffle->getMaskValue(piece.element);
    if (place < 0) return std::nullopt;
    const auto count = static_cast<int>(type->getNumElements());
    const unsigned which = place < count ? 0 : 1;
    return Piece{shuffle->getOperand(which), static_cast<unsigned>(which == 0 ? place : place - count), piece.offset};
  }
  llvm::Value* whole = nullptr;
  const llvm::APInt* bits = nullptr;
  if (match(piece.vector, m_Trunc(m_Value(whole)))) return Piece{whole, piece.element, piece.offset};
  if (match(piece.vector, m_Shr(m_Value(whole), m_APInt(bits)))) {
    return Piece{whole, piece.element, piece.offset + bits->getLimitedValue()};
  }
  return std::nullopt;
}

Piece origin_of(Piece piece) {
  while (const auto before = step_back(piece)) piece = *before;
  return piece;
}

// Returns the vector of wider integers whose pieces, all and in order, are the elements of `value`; null if none
// exists.
llvm::Value* whole_of(llvm::Value* value) {
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (type == nullptr || !type->getElementType()->isIntegerTy()) return nullptr;
  llvm::Value* const whole = origin_of({value, 0, 0}).vector;
  const auto* const wide = llvm::dyn_cast<llvm::FixedVectorType>(whole->getType());
  if (wide == nullptr || !wide->getElementType()->isIntegerTy()) return nullptr;
  const unsigned bits = type->getScalarSizeInBits();
  const unsigned pieces = wide->getScalarSizeInBits() / bits;
  if (pieces < 2 || wide->getScalarSizeInBits() % bits != 0) return nullptr;
  if (wide->getNumElements() * pieces != type->getNumElements()) return nullptr;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const Piece piece = origin_of({value, i, 0});
    const bool is_next = piece.element == i / pieces && piece.offset == std::uint64_t{i % pieces} * bits;
    if (piece.vector != whole || !is_next) return nullptr;
  }
  return whole;
}

}  // namespace

llvm::PreservedAnalyses JoinBytesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (!function.getDataLayout().isLittleEndian()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::WeakTrackingVH> unused;
  for (llvm::Instruction& one : llvm::instructions(function)) {
    auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one);
    if (store == nullptr) continue;
    llvm::Value* const pieces = store->getValueOperand();
    llvm::Value* const whole = whole_of(pieces);
    if (whole == nullptr) continue;
    store->setOperand(0, llvm::IRBuilder<>(store).CreateBitCast(whole, pieces->getType()));
    unused.emplace_back(pieces);
  }
  if (unused.empty()) return llvm::PreservedAnalyses::all();
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

namespace {

// Returns the number of elements that constant `mask` selects, if they are the first, a power of two, and not all; else
// 0.
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

llvm::PreservedAnalyses NarrowMasksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
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

}  // namespace kmux::simt
