#include "spmd/lane_code.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/VectorUtils.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {

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
  if (const auto found = scalars_.find(value); found != scalars_.end()) return found->second;
  return const_cast<Value*>(value);  // a constant
}

LaneCode::Value* LaneCode::vector(const Value* value) {
  if (const auto found = vectors_.find(value); found != vectors_.end()) return found->second;
  const LaneValue known = values_.of(value);
  Value* const first = scalar(value);
  if (known.kind != LaneValue::Kind::kStrided) return splat(first);
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

LaneCode::Value* LaneCode::masked(Value* condition) {
  return mask_ == nullptr ? condition : builder_.CreateAnd(mask_, condition);
}

LaneCode::Value* LaneCode::mask_or_all() {
  return mask_ != nullptr ? mask_ : llvm::Constant::getAllOnesValue(mask_type());
}

LaneCode::Value* LaneCode::bits_of(Value* mask) { return builder_.CreateBitCast(mask, builder_.getIntNTy(lanes_)); }

LaneCode::Value* LaneCode::any(Value* mask) {
  Value* const bits = bits_of(mask);
  return builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

LaneCode::Value* LaneCode::all_of(Value* condition) {
  Value* const bits = bits_of(condition);
  return builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
}

void LaneCode::emit_phi(const llvm::PHINode& phi) {
  if (is_vector(&phi)) {
    set_vector(&phi, builder_.CreatePHI(widened(phi.getType()), phi.getNumIncomingValues()));
  } else {
    set(&phi, builder_.CreatePHI(phi.getType(), phi.getNumIncomingValues()));
  }
}

void LaneCode::emit_scalar(const llvm::Instruction& instruction) {
  llvm::Instruction* const copy = instruction.clone();
  for (llvm::Use& operand : copy->operands()) {
    if (!llvm::isa<llvm::Function>(operand) && !llvm::isa<llvm::MetadataAsValue>(operand)) operand.set(scalar(operand));
  }
  builder_.Insert(copy);
  if (!copy->getType()->isVoidTy()) set(&instruction, copy);
}

// What lane 0 has. It need not be one that runs, so what is said of those that run is not true of it.
void LaneCode::emit_strided(const llvm::Instruction& instruction, const LaneValue&) {
  if (calls(&instruction, call::kLane)) return set(&instruction, builder_.getInt32(0));
  if (const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return emit_alloca(*variable);
  if (instruction.getOpcode() == llvm::Instruction::Or) {
    return set(&instruction, builder_.CreateAdd(scalar(instruction.getOperand(0)), scalar(instruction.getOperand(1))));
  }
  emit_scalar(instruction);
  llvm::cast<llvm::Instruction>(scalars_[&instruction])->dropPoisonGeneratingFlags();
}

// The divisor of a lane that does not run may be zero.
void LaneCode::emit_division(const llvm::BinaryOperator& division) {
  Value* divisor = vector(division.getOperand(1));
  if (mask_ != nullptr) divisor = builder_.CreateSelect(mask_, divisor, llvm::ConstantInt::get(divisor->getType(), 1));
  set_vector(&division, builder_.CreateBinOp(division.getOpcode(), vector(division.getOperand(0)), divisor));
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

void LaneCode::emit_vector(llvm::Instruction& instruction) {
  if (const auto* const binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    if (binary->isIntDivRem()) return emit_division(*binary);
    Value* const made =
        builder_.CreateBinOp(binary->getOpcode(), vector(binary->getOperand(0)), vector(binary->getOperand(1)));
    if (auto* const copied = llvm::dyn_cast<llvm::Instruction>(made)) copied->copyIRFlags(binary);
    return set_vector(&instruction, made);
  }
  if (const auto* const compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    Value* const made =
        builder_.CreateCmp(compare->getPredicate(), vector(compare->getOperand(0)), vector(compare->getOperand(1)));
    if (auto* const copied = llvm::dyn_cast<llvm::Instruction>(made)) copied->copyIRFlags(compare);
    return set_vector(&instruction, made);
  }
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    return set_vector(&instruction,
                      builder_.CreateCast(cast->getOpcode(), vector(cast->getOperand(0)), widened(cast->getType())));
  }
  if (const auto* const choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    Value* const condition =
        is_vector(choice->getCondition()) ? vector(choice->getCondition()) : scalar(choice->getCondition());
    return set_vector(&instruction, builder_.CreateSelect(condition, vector(choice->getTrueValue()),
                                                          vector(choice->getFalseValue())));
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FNeg:
      return set_vector(&instruction, builder_.CreateFNeg(vector(instruction.getOperand(0))));
    case llvm::Instruction::Freeze:
      return set_vector(&instruction, builder_.CreateFreeze(vector(instruction.getOperand(0))));
    case llvm::Instruction::GetElementPtr: {
      const auto& address = llvm::cast<llvm::GetElementPtrInst>(instruction);
      llvm::SmallVector<Value*> indices;
      for (const llvm::Use& index : address.indices())
        indices.push_back(llvm::isa<llvm::ConstantInt>(index) ? index.get() : vector(index));
      return set_vector(&instruction, builder_.CreateGEP(address.getSourceElementType(),
                                                         vector(address.getPointerOperand()), indices));
    }
    case llvm::Instruction::ExtractValue: {
      const auto& part = llvm::cast<llvm::ExtractValueInst>(instruction);
      return set_vector(&instruction,
                        builder_.CreateExtractValue(vector(part.getAggregateOperand()), part.getIndices()));
    }
    case llvm::Instruction::InsertValue: {
      const auto& part = llvm::cast<llvm::InsertValueInst>(instruction);
      return set_vector(&instruction,
                        builder_.CreateInsertValue(vector(part.getAggregateOperand()),
                                                   vector(part.getInsertedValueOperand()), part.getIndices()));
    }
    default:
      return emit_lane_by_lane(instruction);
  }
}

void LaneCode::emit(llvm::Instruction& instruction) {
  if (instruction.isDebugOrPseudoInst()) return;
  if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return emit_phi(*phi);
  if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && !has_effects(*load))
    return emit_load(*load);
  if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      store != nullptr && store->isUnordered() && !store->isVolatile())
    return emit_store(*store);
  if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (emit_thread_call(*call)) return;
    const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    if (intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::assume) return;
    if (intrinsic != nullptr && is_vector(intrinsic) && emit_intrinsic(*intrinsic)) return;
  }
  if (has_effects(instruction)) return emit_lane_by_lane(instruction);
  const LaneValue known = values_.of(&instruction);
  if (known.kind == LaneValue::Kind::kVarying) return emit_vector(instruction);
  if (known.kind == LaneValue::Kind::kStrided) return emit_strided(instruction, known);
  emit_scalar(instruction);
}

}  // namespace kmux::cpu::spmd
