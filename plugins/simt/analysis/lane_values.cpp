#include "simt/analysis/lane_values.h"

#include <algorithm>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {

std::uint64_t lane_bytes(const llvm::AllocaInst& variable) {
  return llvm::alignTo(variable.getAllocationSize(variable.getDataLayout())->getFixedValue(), variable.getAlign());
}

std::optional<std::int64_t> small_constant(const llvm::Value* value) {
  const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant == nullptr || constant->getValue().getSignificantBits() > 32) return std::nullopt;
  return constant->getSExtValue();
}

namespace {

using Kind = LaneValue::Kind;

constexpr LaneValue kVarying{Kind::kVarying};

LaneValue strided(std::int64_t stride, unsigned zero_bits = 0) {
  return {Kind::kStrided, stride, zero_bits, stride == 0, stride == 0};
}

bool is_usable(const LaneValue& value) { return value.kind == Kind::kUniform || value.kind == Kind::kStrided; }

// Returns true if equal operands give equal values, and the instruction may run where no lane is active.
bool is_function_of_operands(const llvm::Instruction& instruction) {
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    return !binary->isIntDivRem() || llvm::isa<llvm::Constant>(binary->getOperand(1));
  }
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID());
  }
  return llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst, llvm::UnaryOperator,
                   llvm::FreezeInst, llvm::ExtractValueInst, llvm::InsertValueInst>(instruction);
}

}  // namespace

LaneValues::LaneValues(llvm::Function& function, const llvm::UniformityInfo& uniformity, unsigned lanes,
                       llvm::DenseSet<const llvm::BasicBlock*> blended)
    : uniformity_(uniformity), layout_(function.getDataLayout()), lanes_(lanes), blended_(std::move(blended)) {
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  for (bool changes = true; changes;) {
    changes = false;
    for (const llvm::BasicBlock* const block : order) {
      for (const llvm::Instruction& instruction : *block) changes |= learn(instruction);
    }
  }
}

// Values only descend in the lattice, so that the iteration ends.
bool LaneValues::learn(const llvm::Instruction& instruction) {
  if (instruction.getType()->isVoidTy() || !uniformity_.isDivergent(&instruction)) return false;
  const LaneValue found = computed(instruction);
  LaneValue& known = values_[&instruction];
  if (known.kind == Kind::kVarying || found == known) return false;
  const bool is_less = found.kind == Kind::kStrided && found.stride == known.stride;
  known = known.kind == Kind::kUnknown || is_less ? found : kVarying;
  return true;
}

LaneValue LaneValues::of(const llvm::Value* value) const {
  if (const auto found = values_.find(value); found != values_.end()) return found->second;
  if (const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
    if (uniformity_.isDivergent(instruction)) return {};
  }
  unsigned zero_bits = 0;
  if (value->getType()->isIntOrPtrTy()) zero_bits = llvm::computeKnownBits(value, layout_).countMinTrailingZeros();
  return {Kind::kUniform, 0, zero_bits, true, true};
}

// If lane 0 has a multiple of a power of two that exceeds the offsets of all lanes, adding these does not carry.
void LaneValues::settle_exactness(LaneValue& value, const llvm::Instruction& instruction) const {
  if (value.kind == Kind::kStrided && value.stride == 0) value.is_signed_exact = value.is_unsigned_exact = true;
  const auto reach = static_cast<std::uint64_t>(value.stride) * (lanes_ - 1);
  if (value.kind != Kind::kStrided || !instruction.getType()->isIntegerTy()) return;
  const bool is_exact = value.stride > 0 && value.zero_bits < 63 && reach < (std::uint64_t{1} << value.zero_bits) &&
                        value.zero_bits < instruction.getType()->getIntegerBitWidth();
  value.is_signed_exact |= is_exact;
  value.is_unsigned_exact |= is_exact;
}

namespace {

// Returns the pattern of a value that is either of two.
LaneValue joined(const LaneValue& a, const LaneValue& b) {
  if (a.stride != b.stride) return kVarying;
  LaneValue both = a.kind == Kind::kUniform ? b : a;
  both.zero_bits = std::min(a.zero_bits, b.zero_bits);
  both.is_signed_exact = a.is_signed_exact && b.is_signed_exact;
  both.is_unsigned_exact = a.is_unsigned_exact && b.is_unsigned_exact;
  return both;
}

}  // namespace

LaneValue LaneValues::of_phi(const llvm::PHINode& phi) const {
  if (blended_.contains(phi.getParent())) return kVarying;
  LaneValue met;
  for (const llvm::Value* const incoming : phi.incoming_values()) {
    if (llvm::isa<llvm::UndefValue>(incoming)) continue;
    const LaneValue value = of(incoming);
    if (value.kind == Kind::kUnknown) continue;
    if (!is_usable(value)) return kVarying;
    met = met.kind == Kind::kUnknown ? value : joined(met, value);
    if (met.kind == Kind::kVarying) return kVarying;
  }
  // Divergent although no incoming value is: a divergent branch selects among them.
  return met.kind == Kind::kUniform ? kVarying : met;
}

LaneValue LaneValues::of_sum(const llvm::Instruction& sum, bool is_difference) const {
  const LaneValue a = of(sum.getOperand(0));
  const LaneValue b = of(sum.getOperand(1));
  if (a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) return {};
  if (!is_usable(a) || !is_usable(b)) return kVarying;
  LaneValue value =
      strided(is_difference ? a.stride - b.stride : a.stride + b.stride, std::min(a.zero_bits, b.zero_bits));
  if (const auto* const checked = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&sum)) {
    value.is_signed_exact = checked->hasNoSignedWrap() && a.is_signed_exact && b.is_signed_exact;
    value.is_unsigned_exact = checked->hasNoUnsignedWrap() && a.is_unsigned_exact && b.is_unsigned_exact;
  }
  settle_exactness(value, sum);
  return value;
}

LaneValue LaneValues::of_product(const llvm::Instruction& product) const {
  const bool is_shift = product.getOpcode() == llvm::Instruction::Shl;
  const LaneValue a = of(product.getOperand(0));
  const auto factor = small_constant(product.getOperand(1));
  if (a.kind == Kind::kUnknown) return {};
  if (a.kind != Kind::kStrided || !factor || (is_shift && (*factor < 0 || *factor > 31))) return kVarying;
  const std::int64_t scale = is_shift ? std::int64_t{1} << *factor : *factor;
  if (scale == 0 || std::abs(a.stride) > (std::int64_t{1} << 30)) return kVarying;
  const auto more_zeros = static_cast<unsigned>(llvm::countr_zero(static_cast<std::uint64_t>(scale)));
  LaneValue value = strided(a.stride * scale, std::min(a.zero_bits + more_zeros, 64U));
  const auto* const checked = llvm::cast<llvm::OverflowingBinaryOperator>(&product);
  value.is_signed_exact = checked->hasNoSignedWrap() && a.is_signed_exact;
  value.is_unsigned_exact = checked->hasNoUnsignedWrap() && a.is_unsigned_exact;
  settle_exactness(value, product);
  return value;
}

// Returns the operand's pattern without exactness: freeze does not keep the no-wrap guarantees of a sum.
LaneValue LaneValues::of_frozen(const llvm::Instruction& frozen) const {
  LaneValue value = of(frozen.getOperand(0));
  if (value.kind != Kind::kStrided) return value;
  value.is_signed_exact = value.is_unsigned_exact = false;
  settle_exactness(value, frozen);
  return value;
}

// ~a is -1 - a.
LaneValue LaneValues::of_complement(const llvm::Instruction& complement) const {
  LaneValue value = of(complement.getOperand(0));
  const auto* const ones = llvm::dyn_cast<llvm::ConstantInt>(complement.getOperand(1));
  if (value.kind == Kind::kUnknown) return value;
  if (value.kind != Kind::kStrided || ones == nullptr || !ones->isMinusOne()) return kVarying;
  value.stride = -value.stride;
  value.zero_bits = 0;
  return value;
}

// Returns true if lanes differ only in the lowest `bits`, without a carry out of them.
bool LaneValues::differs_below(const LaneValue& value, unsigned bits) const {
  const auto reach = static_cast<std::uint64_t>(value.stride) * (lanes_ - 1);
  return value.kind == Kind::kStrided && value.stride >= 0 && bits < 63 && value.zero_bits >= bits &&
         reach < (std::uint64_t{1} << bits);
}

// A remainder by a power of two.
LaneValue LaneValues::of_low_bits(const llvm::Instruction& rest) const {
  const LaneValue a = of(rest.getOperand(0));
  const auto* const mask = llvm::dyn_cast<llvm::ConstantInt>(rest.getOperand(1));
  if (a.kind == Kind::kUnknown) return a;
  if (mask == nullptr || !differs_below(a, std::min(mask->getValue().countTrailingOnes(), a.zero_bits)))
    return kVarying;
  return {Kind::kStrided, a.stride, std::min(a.zero_bits, 62U), true, true};
}

// A quotient by a power of two: the same in all lanes.
LaneValue LaneValues::of_high_bits(const llvm::Instruction& quotient) const {
  const LaneValue a = of(quotient.getOperand(0));
  const auto shift = small_constant(quotient.getOperand(1));
  if (a.kind == Kind::kUnknown) return a;
  return shift && *shift >= 0 && differs_below(a, static_cast<unsigned>(*shift)) ? strided(0) : kVarying;
}

LaneValue LaneValues::of_cast(const llvm::CastInst& cast) const {
  const LaneValue a = of(cast.getOperand(0));
  if (a.kind != Kind::kStrided) return a.kind == Kind::kUnknown ? a : kVarying;
  switch (cast.getOpcode()) {
    case llvm::Instruction::SExt:
      return a.is_signed_exact ? a : kVarying;
    case llvm::Instruction::ZExt:
      return a.is_unsigned_exact || (a.is_signed_exact && cast.hasNonNeg()) ? a : kVarying;
    case llvm::Instruction::Trunc: {
      LaneValue value = strided(a.stride, a.zero_bits);
      settle_exactness(value, cast);
      return value;
    }
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      return cast.getSrcTy()->getScalarSizeInBits() <= 64 ? strided(a.stride, a.zero_bits) : kVarying;
    default:
      return kVarying;
  }
}

namespace {

// Returns the stride of `address`, computed from the strides `of` its parts; nothing if one of them has none.
template <class Of>
std::optional<std::int64_t> stride_of(const llvm::GEPOperator& address, const llvm::DataLayout& layout, const Of& of) {
  std::optional<std::int64_t> stride = of(address.getPointerOperand());
  for (auto step = llvm::gep_type_begin(address); step != llvm::gep_type_end(address) && stride; ++step) {
    const std::optional<std::int64_t> index = of(step.getOperand());
    if (index == 0) continue;
    if (!index || step.isStruct() || !step.getOperand()->getType()->isIntegerTy(64)) return std::nullopt;
    *stride += *index * static_cast<std::int64_t>(step.getSequentialElementStride(layout).getFixedValue());
  }
  return stride;
}

}  // namespace

LaneValue LaneValues::of_address(const llvm::Instruction& address) const {
  bool is_known = true;
  const auto stride = stride_of(llvm::cast<llvm::GEPOperator>(address), layout_, [&](const llvm::Value* part) {
    const LaneValue value = of(part);
    is_known = is_known && value.kind != Kind::kUnknown;
    return is_usable(value) ? std::optional(value.stride) : std::nullopt;
  });
  if (!is_known) return {};
  return stride ? strided(*stride) : kVarying;
}

LaneValue LaneValues::computed(const llvm::Instruction& instruction) const {
  if (calls(&instruction, call::kLane)) return {Kind::kStrided, 1, 31, true, true};
  if (calls(&instruction, call::kBallot) || is_warp_index(&instruction)) return strided(0);
  const LaneValue found = computed_apart(instruction);
  return found.kind == Kind::kVarying && !llvm::isa<llvm::PHINode>(instruction) ? of_same(instruction) : found;
}

// A value that differs between warps in lockstep is uniform in a warp if all operands are.
LaneValue LaneValues::of_same(const llvm::Instruction& instruction) const {
  if (!is_function_of_operands(instruction)) return kVarying;
  bool is_known = true;
  for (const llvm::Use& operand : instruction.operands()) {
    if (llvm::isa<llvm::Function>(operand)) continue;
    const LaneValue value = of(operand);
    is_known = is_known && value.kind != Kind::kUnknown;
    if (value.kind == Kind::kVarying || (value.kind == Kind::kStrided && value.stride != 0)) return kVarying;
  }
  return is_known ? strided(0) : LaneValue{};
}

LaneValue LaneValues::computed_apart(const llvm::Instruction& instruction) const {
  if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return of_phi(*phi);
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return of_cast(*cast);
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return of_sum(instruction, false);
    case llvm::Instruction::Sub:
      return of_sum(instruction, true);
    case llvm::Instruction::Or:
      return llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint() ? of_sum(instruction, false) : kVarying;
    case llvm::Instruction::Mul:
    case llvm::Instruction::Shl:
      return of_product(instruction);
    case llvm::Instruction::Freeze:
      return of_frozen(instruction);
    case llvm::Instruction::Xor:
      return of_complement(instruction);
    case llvm::Instruction::And:
      return of_low_bits(instruction);
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return of_high_bits(instruction);
    case llvm::Instruction::GetElementPtr:
      return of_address(instruction);
    case llvm::Instruction::Alloca:
      return strided(static_cast<std::int64_t>(lane_bytes(llvm::cast<llvm::AllocaInst>(instruction))));
    default:
      return kVarying;
  }
}

// Returns the stride of a remainder, or 0 for a quotient that is the same in all lanes, if nothing is carried.
std::optional<std::int64_t> LaneValues::likely_stride_of_part(const llvm::Instruction& part, unsigned depth) const {
  const std::optional<std::int64_t> stride = likely_stride(part.getOperand(0), depth);
  const std::optional<std::int64_t> other = likely_stride(part.getOperand(1), depth);
  const std::optional<std::int64_t> constant = small_constant(part.getOperand(1));
  if (!stride || *stride < 0 || other != 0) return std::nullopt;
  const std::int64_t reach = *stride * (lanes_ - 1);
  switch (part.getOpcode()) {
    case llvm::Instruction::And:
      return constant && *constant >= reach && llvm::isMask_64(static_cast<std::uint64_t>(*constant)) ? stride
                                                                                                      : std::nullopt;
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return constant && *constant < 32 && (std::int64_t{1} << *constant) > reach ? std::optional<std::int64_t>(0)
                                                                                  : std::nullopt;
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
      return !constant || *constant > reach ? stride : std::nullopt;
    default:
      return !constant || *constant > reach ? std::optional<std::int64_t>(0) : std::nullopt;
  }
}

std::optional<std::int64_t> LaneValues::likely_stride_of_sum(const llvm::Instruction& sum, unsigned depth) const {
  const std::optional<std::int64_t> a = likely_stride(sum.getOperand(0), depth),
                                    b = likely_stride(sum.getOperand(1), depth);
  const std::optional<std::int64_t> factor = small_constant(sum.getOperand(1));
  if (!a || !b) return std::nullopt;
  switch (sum.getOpcode()) {
    case llvm::Instruction::Add:
      return *a + *b;
    case llvm::Instruction::Sub:
      return *a - *b;
    case llvm::Instruction::Shl:
      return factor && *factor >= 0 && *factor < 32 ? std::optional(*a * (std::int64_t{1} << *factor)) : std::nullopt;
    default:
      if (factor) return *a * *factor;
      return *a == 0 && *b == 0 ? a : std::nullopt;
  }
}

std::optional<std::int64_t> LaneValues::likely_stride(const llvm::Value* value, unsigned depth) const {
  constexpr unsigned kMaxDepth = 8;
  const LaneValue known = of(value);
  if (is_usable(known)) return known.stride;
  const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || ++depth > kMaxDepth) return std::nullopt;
  if (const auto* const address = llvm::dyn_cast<llvm::GEPOperator>(value))
    return stride_of(*address, layout_, [&](const llvm::Value* part) { return likely_stride(part, depth); });
  if (!value->getType()->isIntegerTy()) return std::nullopt;
  const auto within = [&](std::optional<std::int64_t> stride) {
    const unsigned bits = instruction->getOperand(0)->getType()->getScalarSizeInBits();
    const std::int64_t most = (std::int64_t{1} << (std::min(bits, 62U) - 1)) / lanes_;
    return stride && std::abs(*stride) <= most ? stride : std::nullopt;
  };
  if (const auto* const bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(value)) {
    const std::optional<std::int64_t> a = likely_stride(bound->getLHS(), depth),
                                      b = likely_stride(bound->getRHS(), depth);
    return a == 0 ? within(b) : b == 0 ? within(a) : std::nullopt;
  }
  switch (instruction->getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return within(likely_stride(instruction->getOperand(0), depth));
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::Shl:
      return likely_stride_of_sum(*instruction, depth);
    case llvm::Instruction::And:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
      return within(likely_stride_of_part(*instruction, depth));
    default:
      return std::nullopt;
  }
}

}  // namespace kmux::simt
