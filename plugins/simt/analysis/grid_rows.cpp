#include "simt/analysis/grid_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

/// A difference modulo 2^64; nothing if it is not known, or not the same for all blocks.
using Step = std::optional<std::uint64_t>;

/// The difference of a value from one block of the grid to the next one in its row.
class BlockSteps {
 public:
  explicit BlockSteps(const BlockShape& shape) : shape_(shape) {}
  Step of(const llvm::Value* value);
  bool follow_rows(const llvm::Instruction& access);

 private:
  Step of_product(const llvm::Instruction& product);
  Step of_address(const llvm::GEPOperator& address);
  Step computed(const llvm::Instruction& instruction);
  Step constant(const llvm::Value* value) const;

  const BlockShape& shape_;
  llvm::DenseMap<const llvm::Value*, Step> known_;
};

Step BlockSteps::of(const llvm::Value* value) {
  if (calls(value, call::kBlock[0])) return 1;
  const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return 0;
  if (const auto [found, is_new] = known_.try_emplace(value, std::nullopt); !is_new) return found->second;
  const bool is_same = std::ranges::all_of(instruction->operands(), [&](const llvm::Use& one) { return of(one) == 0; });
  const Step step = is_same ? 0 : computed(*instruction);
  return known_[value] = step;
}

Step BlockSteps::computed(const llvm::Instruction& instruction) {
  if (const auto* const address = llvm::dyn_cast<llvm::GEPOperator>(&instruction)) return of_address(*address);
  if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction)) return of(instruction.getOperand(0));
  const unsigned opcode = instruction.getOpcode();
  if (opcode == llvm::Instruction::Mul || opcode == llvm::Instruction::Shl) return of_product(instruction);
  const auto* const disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  const bool is_sum = opcode == llvm::Instruction::Add || (disjoint != nullptr && disjoint->isDisjoint());
  if (!is_sum && opcode != llvm::Instruction::Sub) return std::nullopt;
  const Step left = of(instruction.getOperand(0)), right = of(instruction.getOperand(1));
  if (!left || !right) return std::nullopt;
  return is_sum ? *left + *right : *left - *right;
}

Step BlockSteps::of_product(const llvm::Instruction& product) {
  const bool is_shift = product.getOpcode() == llvm::Instruction::Shl;
  for (const unsigned i : {0U, 1U}) {
    const Step step = of(product.getOperand(i)), factor = constant(product.getOperand(1 - i));
    if (!step || !factor) continue;
    if (!is_shift) return *step * *factor;
    if (i == 0 && *factor < 64) return *step << *factor;
  }
  return std::nullopt;
}

Step BlockSteps::constant(const llvm::Value* value) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (calls(value, call::kBlockDim[i])) return (*shape_.extents)[i];
  }
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number == nullptr || number->getBitWidth() > 64 ? std::nullopt
                                                         : Step(static_cast<std::uint64_t>(number->getSExtValue()));
}

Step BlockSteps::of_address(const llvm::GEPOperator& address) {
  const llvm::DataLayout& layout = llvm::cast<llvm::Instruction>(address).getDataLayout();
  llvm::MapVector<llvm::Value*, llvm::APInt> parts;
  llvm::APInt rest(layout.getIndexTypeSizeInBits(address.getType()), 0);
  Step step = of(address.getPointerOperand());
  if (!step || !address.collectOffset(layout, rest.getBitWidth(), parts, rest)) return std::nullopt;
  for (const auto& [index, bytes] : parts) {
    const Step more = of(index);
    if (!more) return std::nullopt;
    *step += *more * static_cast<std::uint64_t>(bytes.getSExtValue());
  }
  return step;
}

// Returns true if the lanes of `access` reach contiguous places, and the next block in the row the places after these.
// Also returns true for one place, and for places that are the same in all blocks.
bool BlockSteps::follow_rows(const llvm::Instruction& access) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&access);
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  llvm::Type* type = nullptr;
  if (address != nullptr) {
    type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  } else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_load) {
    address = call->getArgOperand(0);
    type = call->getType();
  } else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store) {
    address = call->getArgOperand(1);
    type = call->getArgOperand(0)->getType();
  } else {
    return false;
  }
  if (!type->isVectorTy()) return true;
  const std::uint64_t bytes = access.getDataLayout().getTypeStoreSize(type).getFixedValue();
  const Step step = of(address);
  const std::uint64_t row = bytes / shape_.lanes * (*shape_.extents)[0];
  return step && (*step == 0 || *step == row);
}

}  // namespace

bool is_harmless(const llvm::Instruction& one) {
  if (!one.mayHaveSideEffects()) return true;
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&one);
  const llvm::Value* address = nullptr;
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one); store != nullptr && store->isSimple()) {
    address = store->getPointerOperand();
  } else if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store) {
    address = call->getArgOperand(1);
  }
  return address != nullptr && llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(address));
}

bool runs_row_by_row(llvm::Function& warp, const BlockShape& shape) {
  const auto& [x, y, z] = shape.extents.value_or(std::array{0U, 0U, 0U});
  if (shape.order != BlockShape::Order::kRows || shape.warps != 1 || y * z < 2) return false;
  if (!llvm::LoopInfo(llvm::DominatorTree(warp)).empty()) return false;
  BlockSteps steps(shape);
  return std::ranges::all_of(llvm::instructions(warp), [&](const llvm::Instruction& one) {
    return is_harmless(one) && (!one.mayReadOrWriteMemory() || steps.follow_rows(one));
  });
}

}  // namespace kmux::simt
