// What lanes ask of each other, and what each does for itself.
#include "spmd/lane_code.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {

bool LaneCode::emit_thread_call(const llvm::CallInst& call) {
  const std::string_view name = called(&call);
  if (name == call::kBallot) {
    Value* const has = builder_.CreateICmpNE(vector(call.getArgOperand(0)),
                                             llvm::Constant::getNullValue(widened(call.getArgOperand(0)->getType())));
    set(&call, builder_.CreateZExtOrTrunc(bits_of(masked(has)), call.getType()));
    return true;
  }
  if (name == call::kAll) {
    set(&call, all_of(call.getArgOperand(0), true));
    return true;
  }
  if (name == call::kShuffle) {
    set_vector(&call, shuffle(offered(call.getArgOperand(0)), vector(call.getArgOperand(1))));
    return true;
  }
  if (name.starts_with(call::kScale) && is_vector(&call)) {
    Value* const operands[] = {vector(call.getArgOperand(0)), vector(call.getArgOperand(1))};
    const std::string wide = std::string(name) + ".x" + std::to_string(lanes_);
    set_vector(&call, make_call(builder_, wide, widened(call.getType()), operands));
    return true;
  }
  if (name.empty() || name == call::kLane) return false;
  emit_scalar(call);
  if (is_warp_index(&call)) llvm::cast<llvm::CallInst>(scalar(&call))->setArgOperand(0, builder_.getInt32(warp_));
  return true;
}

// What each lane gives others that read from it: of one that does not run a GPU gives 0, whatever it had there before.
LaneCode::Value* LaneCode::offered(const Value* value) {
  Value* const all = vector(value);
  if (mask() == nullptr) return all;
  return builder_.CreateSelect(mask(), all, llvm::Constant::getNullValue(all->getType()));
}

LaneCode::Value* LaneCode::shuffle(Value* value, Value* lane) {
  if (const auto* const known = llvm::dyn_cast<llvm::Constant>(lane)) {
    llvm::SmallVector<int> order;
    for (unsigned i = 0; i < lanes_; ++i) {
      const auto* const index = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(i));
      order.push_back(index == nullptr ? 0 : static_cast<int>(index->getZExtValue() % lanes_));
    }
    return builder_.CreateShuffleVector(value, order);
  }
  llvm::IRBuilder<> entry(&to_.getEntryBlock(), to_.getEntryBlock().begin());
  llvm::AllocaInst* const memory = entry.CreateAlloca(value->getType());
  builder_.CreateStore(value, memory);
  // Every lane reads, also one that does not run and whose index is none.
  Value* const index =
      builder_.CreateAnd(builder_.CreateFreeze(lane), llvm::ConstantInt::get(lane->getType(), lanes_ - 1));
  Value* const address = builder_.CreateGEP(value->getType()->getScalarType(), memory, index);
  return builder_.CreateMaskedGather(value->getType(), address, llvm::Align(4),
                                     llvm::Constant::getAllOnesValue(mask_type()));
}

// `value`, of one lane, as that lane's element of `all`.
LaneCode::Value* LaneCode::insert(Value* all, Value* value, Value* lane) {
  auto* const record = llvm::dyn_cast<llvm::StructType>(value->getType());
  if (record == nullptr) return builder_.CreateInsertElement(all, value, lane);
  Value* result = all;
  for (unsigned i = 0; i < record->getNumElements(); ++i) {
    Value* const member = insert(builder_.CreateExtractValue(all, i), builder_.CreateExtractValue(value, i), lane);
    result = builder_.CreateInsertValue(result, member, i);
  }
  return result;
}

// What lane `lane` has of `all`.
LaneCode::Value* LaneCode::extract(Value* all, Value* lane) {
  auto* const record = llvm::dyn_cast<llvm::StructType>(all->getType());
  if (record == nullptr) return builder_.CreateExtractElement(all, lane);
  llvm::SmallVector<Value*> members;
  llvm::SmallVector<llvm::Type*> types;
  for (unsigned i = 0; i < record->getNumElements(); ++i) {
    members.push_back(extract(builder_.CreateExtractValue(all, i), lane));
    types.push_back(members.back()->getType());
  }
  Value* result = llvm::PoisonValue::get(llvm::StructType::get(record->getContext(), types));
  for (unsigned i = 0; i < members.size(); ++i) result = builder_.CreateInsertValue(result, members[i], i);
  return result;
}

// Its operands for all lanes; those that are the same in all stay scalars.
llvm::SmallVector<LaneCode::Value*> LaneCode::operands_of(const llvm::Instruction& instruction) {
  llvm::SmallVector<Value*> operands;
  for (const llvm::Use& operand : instruction.operands()) {
    const bool is_one = llvm::isa<llvm::Function, llvm::MetadataAsValue>(operand) ||
                        values_.of(operand).kind == LaneValue::Kind::kUniform;
    operands.push_back(is_one ? scalar(operand) : vector(operand));
  }
  return operands;
}

// The instruction for one lane.
llvm::Instruction* LaneCode::copy_for(const llvm::Instruction& instruction, llvm::ArrayRef<Value*> operands,
                                      Value* lane) {
  llvm::Instruction* const copy = instruction.clone();
  for (unsigned i = 0; i < operands.size(); ++i) {
    const bool is_wide = operands[i]->getType() != instruction.getOperand(i)->getType();
    copy->setOperand(i, is_wide ? extract(operands[i], lane) : operands[i]);
  }
  return builder_.Insert(copy);
}

// One lane after another, of those that run: for what has no vector form, or an effect that each lane has for itself.
void LaneCode::emit_lane_by_lane(llvm::Instruction& instruction) {
  const llvm::SmallVector<Value*> operands = operands_of(instruction);
  Value* const bits = bits_of(mask_or_all());
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const body = add_block("lane");
  llvm::BasicBlock* const after = add_block("lanes.end");
  Value* const none = llvm::Constant::getNullValue(bits->getType());
  const bool may_be_empty = warps_ > 1 && mask() != nullptr;  // another warp is here
  if (may_be_empty) {
    builder_.CreateCondBr(builder_.CreateICmpNE(bits, none), body, after);
  } else {
    builder_.CreateBr(body);
  }
  builder_.SetInsertPoint(body);
  llvm::PHINode* const left = builder_.CreatePHI(bits->getType(), 2);
  llvm::PHINode* const results =
      instruction.getType()->isVoidTy() ? nullptr : builder_.CreatePHI(widened(instruction.getType()), 2);
  Value* const lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue());
  Value* const copy = copy_for(instruction, operands, lane);
  Value* result = nullptr;
  if (results != nullptr) {
    result = insert(results, copy, lane);
    results->addIncoming(llvm::PoisonValue::get(results->getType()), before);
    results->addIncoming(result, body);
  }
  Value* const rest = builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(left->getType(), 1)));
  left->addIncoming(bits, before);
  left->addIncoming(rest, body);
  builder_.CreateCondBr(builder_.CreateICmpNE(rest, llvm::ConstantInt::get(rest->getType(), 0)), body, after);
  builder_.SetInsertPoint(after);
  if (result == nullptr) return;
  if (may_be_empty) {
    llvm::PHINode* const all = builder_.CreatePHI(result->getType(), 2);
    all->addIncoming(llvm::PoisonValue::get(result->getType()), before);
    all->addIncoming(result, body);
    result = all;
  }
  set_vector(&instruction, result);
}

}  // namespace kmux::cpu::spmd
