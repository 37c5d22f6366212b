// What is asked of all lanes of all warps at once.
#include "llvm/IR/PatternMatch.h"
#include "spmd/lane_code.h"

namespace kmux::cpu::spmd {

// Not by `and`: what a lane that does not run has may be poison, and would go from its element of the mask to all lanes.
LaneCode::Value* LaneCode::masked(Value* condition) {
  return mask() == nullptr ? condition : builder_.CreateLogicalAnd(mask(), condition);
}

LaneCode::Value* LaneCode::bits_of(Value* mask) { return builder_.CreateBitCast(mask, builder_.getIntNTy(lanes_)); }

// In halves, so that no operation waits for more than the logarithm of their number.
LaneCode::Value* LaneCode::joined(Masks masks, llvm::Instruction::BinaryOps operation) {
  while (masks.size() > 1) {
    const std::size_t half = (masks.size() + 1) / 2;
    for (std::size_t i = half; i < masks.size(); ++i) {
      masks[i - half] = builder_.CreateBinOp(operation, masks[i - half], masks[i]);
    }
    masks.truncate(half);
  }
  return masks.front();
}

LaneCode::Value* LaneCode::any(const Masks& masks) {
  Value* const bits = bits_of(joined(masks, llvm::Instruction::Or));
  return builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

// Where both sides are progressions the first or the last lane of a warp decides, if all run. Null for other compares.
LaneCode::Value* LaneCode::all_by_ends(const llvm::ICmpInst& compare, bool wanted) {
  const auto predicate = wanted ? compare.getPredicate() : compare.getInversePredicate();
  const Value* const sides[] = {compare.getOperand(0), compare.getOperand(1)};
  if (!compare.isRelational() || !sides[0]->getType()->isIntegerTy()) return nullptr;
  for (const Value* const side : sides) {
    const LaneValue known = values_.of(side);
    if (known.kind == LaneValue::Kind::kVarying) return nullptr;
    if (!(compare.isSigned() ? known.is_signed_exact : known.is_unsigned_exact)) return nullptr;
  }
  const bool is_less = llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
  const bool is_last = (values_.of(sides[0]).stride > values_.of(sides[1]).stride) == is_less;
  const auto end = [&](const Value* side) -> Value* {
    const auto reach = static_cast<std::uint64_t>(values_.of(side).stride) * (lanes_ - 1);
    Value* const first = scalar(side);
    return is_last ? builder_.CreateAdd(first, llvm::ConstantInt::get(first->getType(), reach, true)) : first;
  };
  Masks each;
  for_each_warp([&](unsigned) { each.push_back(builder_.CreateICmp(predicate, end(sides[0]), end(sides[1]))); });
  return joined(each, llvm::Instruction::And);
}

LaneCode::Value* LaneCode::any_of(const Value* condition, bool wanted, const Masks& masks) {
  const auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  Value* const none = mask() == nullptr && compare != nullptr ? all_by_ends(*compare, !wanted) : nullptr;
  return none != nullptr ? builder_.CreateNot(none) : any(masks);
}

// Have all lanes of all warps the condition (if not `wanted`: its contrary)?
LaneCode::Value* LaneCode::all_of(const Value* condition, bool wanted) {
  using namespace llvm::PatternMatch;
  auto* const given = const_cast<Value*>(condition);
  Value* a = nullptr;
  Value* b = nullptr;
  if (match(given, m_Not(m_Value(a)))) return all_of(a, !wanted);
  const bool is_both =
      wanted ? match(given, m_LogicalAnd(m_Value(a), m_Value(b))) : match(given, m_LogicalOr(m_Value(a), m_Value(b)));
  if (is_both) {
    Value* const first = all_of(a, wanted);
    return builder_.CreateLogicalAnd(first, all_of(b, wanted));
  }
  if (const auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(condition)) {
    if (Value* const found = all_by_ends(*compare, wanted)) return found;
  }
  Masks masks;
  for_each_warp([&](unsigned) { masks.push_back(wanted ? vector(condition) : builder_.CreateNot(vector(condition))); });
  Value* const bits = bits_of(joined(masks, llvm::Instruction::And));
  return builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

}  // namespace kmux::cpu::spmd
