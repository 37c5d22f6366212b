#include "simt/transforms/lane_code.h"

#include <algorithm>

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/VectorUtils.h"
#include "simt/analysis/thread_calls.h"
#include "simt/transforms/defined_arithmetic.h"

namespace kmux::simt {

namespace {

bool has_effects(const llvm::Instruction& instruction) {
  return instruction.mayWriteToMemory() || instruction.mayThrow() || instruction.isAtomic() || instruction.isVolatile();
}

}  // namespace

llvm::Type* LaneCode::widened(llvm::Type* type) {
  if (auto* const record = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::SmallVector<llvm::Type*> members;
    for (llvm::Type* const member : record->elements()) members.push_back(widened(member));
    return llvm::StructType::get(type->getContext(), members);
  }
  return llvm::FixedVectorType::get(type, lanes_);
}

LaneCode::Value* LaneCode::splat(Value* scalar) {
  auto* const record = llvm::dyn_cast<llvm::StructType>(scalar->getType());
  if (record == nullptr) return builder_.CreateVectorSplat(lanes_, scalar);
  Value* all = llvm::PoisonValue::get(widened(record));
  for (unsigned i = 0; i < record->getNumElements(); ++i) {
    all = builder_.CreateInsertValue(all, splat(builder_.CreateExtractValue(scalar, i)), i);
  }
  return all;
}

LaneCode::Value* LaneCode::scalar(const Value* value) {
  if (const auto found = scalars_.find({value, warp_}); found != scalars_.end()) return found->second;
  if (const auto found = scalars_.find({value, 0}); found != scalars_.end()) return found->second;  // of all warps
  return const_cast<Value*>(value);  // a constant
}

LaneCode::Value* LaneCode::vector(const Value* value) {
  if (const auto found = vectors_.find({value, warp_}); found != vectors_.end()) return found->second;
  const LaneValue known = values_.of(value);
  Value* const first = scalar(value);
  if (is_one(value)) return splat(first);
  const bool is_address = first->getType()->isPointerTy();
  llvm::Type* const type = is_address ? builder_.getInt64Ty() : first->getType();
  llvm::SmallVector<llvm::Constant*> steps;
  for (unsigned i = 0; i < lanes_; ++i) {
    steps.push_back(llvm::ConstantInt::get(type, static_cast<std::uint64_t>(known.stride) * i, true));
  }
  llvm::Constant* const step = llvm::ConstantVector::get(steps);
  if (is_address) return builder_.CreateGEP(builder_.getInt8Ty(), first, step);
  return builder_.CreateAdd(splat(first), step);
}

LaneCode::Value* LaneCode::mask_or_all() {
  return mask() != nullptr ? mask() : llvm::Constant::getAllOnesValue(mask_type());
}

void LaneCode::emit_phi(const llvm::PHINode& phi) {
  if (is_vector(&phi)) {
    set_vector(&phi, builder_.CreatePHI(widened(phi.getType()), phi.getNumIncomingValues()));
  } else {
    set(&phi, builder_.CreatePHI(phi.getType(), phi.getNumIncomingValues()));
  }
}

void LaneCode::emit_scalar(const llvm::Instruction& instruction) {
  if (may_overflow(instruction)) {
    return set(&instruction,
               divided(builder_, instruction, scalar(instruction.getOperand(0)), scalar(instruction.getOperand(1))));
  }
  llvm::Instruction* const copy = instruction.clone();
  for (llvm::Use& operand : copy->operands()) {
    if (!llvm::isa<llvm::Function>(operand) && !llvm::isa<llvm::MetadataAsValue>(operand)) operand.set(scalar(operand));
  }
  builder_.Insert(copy);
  if (copy->getType()->isVoidTy()) return;
  llvm::Constant* const known = llvm::ConstantFoldInstruction(copy, to_.getDataLayout());  // helps shuffles
  set(&instruction, known != nullptr ? known : static_cast<Value*>(copy));
  if (known != nullptr && !copy->mayHaveSideEffects()) copy->eraseFromParent();
}

// Emits the value of lane 0. If lane 0 may be inactive, drops flags that hold only for active lanes.
void LaneCode::emit_strided(const llvm::Instruction& instruction) {
  if (calls(&instruction, call::kLane)) return set(&instruction, builder_.getInt32(0));
  if (const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return emit_alloca(*variable);
  const auto* const disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  if (disjoint != nullptr && disjoint->isDisjoint()) {
    const bool runs = mask() == nullptr;
    return set(&instruction, builder_.CreateAdd(scalar(instruction.getOperand(0)), scalar(instruction.getOperand(1)),
                                                "", runs, runs));
  }
  const auto* const extended = llvm::dyn_cast<llvm::ZExtInst>(&instruction);
  if (extended != nullptr && extended->hasNonNeg() && values_.of(extended->getOperand(0)).is_signed_exact) {
    return set(&instruction, builder_.CreateSExt(scalar(extended->getOperand(0)), extended->getType()));
  }
  emit_scalar(instruction);
  auto* const made = llvm::dyn_cast<llvm::Instruction>(scalars_[{&instruction, warp_}]);
  if (mask() != nullptr && made != nullptr) made->dropPoisonGeneratingFlags();
}

// Divides by way of doubles: no processor divides vectors of integers, but all divide doubles, whose quotient is exact
// below 2^53.
LaneCode::Value* LaneCode::quotient(Value* dividend, Value* divisor, bool is_signed) {
  llvm::Type* const type = dividend->getType();
  llvm::Type* const wide = llvm::FixedVectorType::get(builder_.getDoubleTy(), lanes_);
  const auto number = [&](Value* value) {
    return is_signed ? builder_.CreateSIToFP(value, wide) : builder_.CreateUIToFP(value, wide);
  };
  Value* const exact = builder_.CreateFDiv(number(dividend), number(divisor));
  return is_signed ? builder_.CreateFPToSI(exact, type) : builder_.CreateFPToUI(exact, type);
}

// The divisor of an inactive lane may be zero, for which a processor would trap.
void LaneCode::emit_division(const llvm::BinaryOperator& division) {
  constexpr unsigned kMaxExactBits = 32;
  const auto code = division.getOpcode();
  const bool is_remainder = code == llvm::Instruction::URem || code == llvm::Instruction::SRem;
  Value* const dividend = vector(division.getOperand(0));
  Value* divisor = vector(division.getOperand(1));
  // Not where only the vector is constant: the lanes' numbers are 0, 1, ..., and lane 0 may be inactive in `1 /
  // threadIdx.x`.
  if (llvm::isa<llvm::ConstantInt>(division.getOperand(1))) {
    return set_vector(&division, builder_.CreateBinOp(code, dividend, divisor));
  }
  if (division.getType()->getIntegerBitWidth() <= kMaxExactBits) {
    Value* const whole = quotient(dividend, divisor, is_signed(division));
    return set_vector(&division,
                      is_remainder ? builder_.CreateSub(dividend, builder_.CreateMul(whole, divisor)) : whole);
  }
  if (mask() != nullptr)
    divisor = builder_.CreateSelect(mask(), divisor, llvm::ConstantInt::get(divisor->getType(), 1));
  set_vector(&division, may_overflow(division) ? divided(builder_, division, dividend, divisor)
                                               : builder_.CreateBinOp(code, dividend, divisor));
}

bool LaneCode::emit_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  const llvm::Intrinsic::ID id = intrinsic.getIntrinsicID();
  if (!llvm::isTriviallyVectorizable(id)) return false;
  llvm::SmallVector<Value*> arguments;
  llvm::SmallVector<llvm::Type*> types;
  if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1)) types.push_back(widened(intrinsic.getType()));
  for (unsigned i = 0; i < intrinsic.arg_size(); ++i) {
    const bool is_scalar = llvm::isVectorIntrinsicWithScalarOpAtArg(id, i);
    arguments.push_back(is_scalar ? scalar(intrinsic.getArgOperand(i)) : vector(intrinsic.getArgOperand(i)));
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i)))
      types.push_back(arguments.back()->getType());
  }
  llvm::Function* const function = llvm::Intrinsic::getDeclaration(to_.getParent(), id, types);
  llvm::CallInst* const made = builder_.CreateCall(function, arguments);
  if (llvm::Value* const known = llvm::ConstantFoldInstruction(made, to_.getDataLayout())) {
    made->eraseFromParent();
    set_vector(&intrinsic, known);
    return true;
  }
  if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&intrinsic);
  set_vector(&intrinsic, made);
  return true;
}

LaneCode::Value* LaneCode::with_flags_of(const llvm::Instruction& instruction, Value* made) {
  if (auto* const copied = llvm::dyn_cast<llvm::Instruction>(made)) copied->copyIRFlags(&instruction);
  return made;
}

LaneCode::Value* LaneCode::addresses(const llvm::GetElementPtrInst& address) {
  llvm::SmallVector<Value*> indices;
  for (const llvm::Use& index : address.indices()) {
    indices.push_back(llvm::isa<llvm::ConstantInt>(index) ? index.get() : vector(index));
  }
  return builder_.CreateGEP(address.getSourceElementType(), vector(address.getPointerOperand()), indices);
}

LaneCode::Value* LaneCode::chosen(const llvm::SelectInst& choice) {
  const Value* const given = choice.getCondition();
  Value* const condition =
      is_one(given) ? scalar(given) : vector(given);  // the lowest bit of a lane's number is strided
  return builder_.CreateSelect(condition, vector(choice.getTrueValue()), vector(choice.getFalseValue()));
}

// Returns the vector form of `instruction`; null if it has none.
LaneCode::Value* LaneCode::vector_form(const llvm::Instruction& instruction) {
  const auto operand = [&](unsigned i) { return vector(instruction.getOperand(i)); };
  if (const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    return with_flags_of(instruction, builder_.CreateBinOp(binary->getOpcode(), operand(0), operand(1)));
  }
  if (const auto* const compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    return with_flags_of(instruction, builder_.CreateCmp(compare->getPredicate(), operand(0), operand(1)));
  }
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    return builder_.CreateCast(cast->getOpcode(), operand(0), widened(cast->getType()));
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Select:
      return chosen(llvm::cast<llvm::SelectInst>(instruction));
    case llvm::Instruction::FNeg:
      return builder_.CreateFNeg(operand(0));
    case llvm::Instruction::Freeze:
      return builder_.CreateFreeze(operand(0));
    case llvm::Instruction::GetElementPtr:
      return addresses(llvm::cast<llvm::GetElementPtrInst>(instruction));
    case llvm::Instruction::ExtractValue:
      return builder_.CreateExtractValue(operand(0), llvm::cast<llvm::ExtractValueInst>(instruction).getIndices());
    case llvm::Instruction::InsertValue:
      return builder_.CreateInsertValue(operand(0), operand(1),
                                        llvm::cast<llvm::InsertValueInst>(instruction).getIndices());
    default:
      return nullptr;
  }
}

void LaneCode::emit_vector(llvm::Instruction& instruction) {
  const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (binary != nullptr && binary->isIntDivRem()) return emit_division(*binary);
  if (Value* const made = vector_form(instruction)) return set_vector(&instruction, made);
  emit_lane_by_lane(instruction);
}

bool LaneCode::emit_call(const llvm::CallInst& call) {
  if (emit_thread_call(call)) return true;
  const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (intrinsic == nullptr) return false;
  return intrinsic->getIntrinsicID() == llvm::Intrinsic::assume || (is_vector(intrinsic) && emit_intrinsic(*intrinsic));
}

// Emits loads and stores of plain memory, which have separate forms. Returns false for other instructions.
bool LaneCode::emit_access(const llvm::Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile()) return false;
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return emit_load(*load), true;
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return emit_store(*store), true;
  return false;
}

// Returns the number of copies: one per warp for an effect. A barrier, and a store of the same value to the same place,
// have one copy.
unsigned LaneCode::copies_of(const llvm::Instruction& instruction) const {
  if (is_barrier(&instruction)) return 1;
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store != nullptr && store->isSimple()) {
    return std::max(copies(store->getPointerOperand()), copies(store->getValueOperand()));
  }
  return has_effects(instruction) ? warps_ : copies(&instruction);
}

void LaneCode::emit(llvm::Instruction& instruction) {
  for (const Records& records : records_) {
    if (records.at == &instruction) return emit_records(records);
    if (llvm::is_contained(records.members, &instruction)) return;
  }
  auto* const bytes = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
  if (bytes != nullptr && is_row(*bytes)) return emit_bytes(*bytes);
  if (const std::optional<Records> row = likely_row(instruction)) return emit_records(*row);
  if (goes_by_lanes(instruction)) return emit_by_lanes(instruction);
  for_each_warp(copies_of(instruction), [&](unsigned) { emit_for_warp(instruction); });
}

void LaneCode::emit_for_warp(llvm::Instruction& instruction) {
  if (instruction.isDebugOrPseudoInst()) return;
  if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return emit_phi(*phi);
  if (emit_access(instruction)) return;
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call != nullptr && emit_call(*call)) return;
  if (has_effects(instruction)) return emit_lane_by_lane(instruction);
  const LaneValue known = values_.of(&instruction);
  if (known.kind == LaneValue::Kind::kVarying) return emit_vector(instruction);
  if (known.kind == LaneValue::Kind::kStrided) return emit_strided(instruction);
  emit_scalar(instruction);
}

}  // namespace kmux::simt
