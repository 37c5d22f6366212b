// Tests over all lanes of all warps.
#include "llvm/IR/PatternMatch.h"
#include "simt/transforms/lane_code.h"

namespace kmux::simt {

// Not by `and`: the value of an inactive lane may be poison, which would spread from its element of the mask to all
// lanes.
LaneCode::Value* LaneCode::masked(Value* condition) {
  return mask() == nullptr ? condition : builder_.CreateLogicalAnd(mask(), condition);
}

LaneCode::Value* LaneCode::bits_of(Value* mask) { return builder_.CreateBitCast(mask, builder_.getIntNTy(lanes_)); }

// Joins in halves, so that the longest chain of operations is the logarithm of their number.
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

// Returns a test of the first or the last lane of each warp, which decides if both sides are progressions. All lanes
// must be active. Returns null for other compares.
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

// Returns a condition that is true if all lanes of all warps have `condition` (if not `wanted`: its negation).
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

// Adds tests that the progression that begins with `first` in lane 0 stays in the range of its type.
void LaneCode::add_range_tests(Value* first, std::int64_t stride, bool is_signed, Masks& fits) {
  if (stride == 0) return;
  const unsigned bits = first->getType()->getIntegerBitWidth();
  const llvm::APInt reach = llvm::APInt(bits, static_cast<std::uint64_t>(stride), true) * (lanes_ - 1);
  const llvm::APInt least = is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  const auto predicate = stride > 0 ? llvm::ICmpInst::ICMP_ULE : llvm::ICmpInst::ICMP_UGE;
  fits.push_back(builder_.CreateICmp(is_signed ? llvm::ICmpInst::getSignedPredicate(predicate) : predicate, first,
                                     builder_.getInt(stride > 0 ? most - reach : least - reach)));
}

// Returns a divisor that never traps, as lane 0 may be inactive. Adds to `fits` that it is the divisor of `division`.
LaneCode::Value* LaneCode::safe_divisor(const llvm::Instruction& division, Masks& fits) {
  Value* const divisor = division.getOperand(1);
  llvm::Constant* const zero = llvm::Constant::getNullValue(divisor->getType());
  Value* const is_right =
      is_signed(division) ? builder_.CreateICmpSGT(divisor, zero) : builder_.CreateICmpNE(divisor, zero);
  fits.push_back(is_right);
  return builder_.CreateSelect(is_right, divisor, llvm::ConstantInt::get(divisor->getType(), 1));
}

// Adds tests that all lanes have one quotient. They fail if the dividend wraps around: its remainder then restarts
// anywhere.
void LaneCode::add_division_tests(const llvm::Instruction& lane_0, std::int64_t stride, Masks& fits) {
  Value* const dividend = lane_0.getOperand(0);
  Value* const divisor = lane_0.getOperand(1);
  const std::uint64_t reach = static_cast<std::uint64_t>(stride) * (lanes_ - 1);
  add_range_tests(dividend, stride, is_signed(lane_0), fits);
  llvm::Constant* const most = llvm::ConstantInt::get(dividend->getType(), reach);
  const auto remainder = is_signed(lane_0) ? llvm::Instruction::SRem : llvm::Instruction::URem;
  Value* const rest = builder_.CreateBinOp(remainder, dividend, divisor);
  if (is_signed(lane_0))
    fits.push_back(builder_.CreateICmpSGE(dividend, llvm::Constant::getNullValue(dividend->getType())));
  fits.push_back(builder_.CreateICmpULT(most, divisor));
  fits.push_back(builder_.CreateICmpULT(rest, builder_.CreateSub(divisor, most)));
}

// Adds the conditions on `lane_0`, which is `instruction` for lane 0, under which the other lanes follow its stride
// (likely_stride).
void LaneCode::add_tests(const llvm::Instruction& instruction, llvm::Instruction& lane_0, Masks& fits) {
  if (!instruction.getType()->isIntegerTy()) return;
  const bool is_bound = llvm::isa<llvm::MinMaxIntrinsic>(instruction);
  const unsigned which = is_bound && values_.likely_stride(instruction.getOperand(0)) == 0 ? 1 : 0;  // is strided
  const std::int64_t stride = values_.likely_stride(instruction.getOperand(which)).value_or(0);
  const std::uint64_t reach = static_cast<std::uint64_t>(stride) * (lanes_ - 1);
  Value* const first = lane_0.getOperand(which);
  const auto below = [&](std::uint64_t end) {  // a power of two
    Value* const rest = builder_.CreateAnd(first, llvm::ConstantInt::get(first->getType(), end - 1));
    fits.push_back(builder_.CreateICmpULT(rest, llvm::ConstantInt::get(first->getType(), end - reach)));
  };
  if (const auto* const bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) {
    add_range_tests(first, stride, bound->isSigned(), fits);
    const auto predicate = llvm::ICmpInst::getNonStrictPredicate(bound->getPredicate());
    const bool is_last = (stride > 0) == (llvm::ICmpInst::isLE(predicate));
    Value* const end = builder_.CreateAdd(first, llvm::ConstantInt::get(first->getType(), is_last ? reach : 0, true));
    fits.push_back(builder_.CreateICmp(predicate, end, lane_0.getOperand(1 - which)));
    return;
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return add_range_tests(first, stride, instruction.getOpcode() == llvm::Instruction::SExt, fits);
    case llvm::Instruction::And:
      return below(*small_constant(instruction.getOperand(1)) + 1);
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return below(std::uint64_t{1} << *small_constant(instruction.getOperand(1)));
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
      return add_division_tests(lane_0, stride, fits);
    default:
      return;
  }
}

}  // namespace kmux::simt
