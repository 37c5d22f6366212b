// Exchanges between lanes, and instructions that each lane runs separately.
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "simt/analysis/thread_calls.h"
#include "simt/transforms/lane_code.h"

namespace kmux::simt {

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

// Returns the values that lanes offer to readers. As on a GPU, an inactive lane offers 0, whatever it had before.
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
  // Every lane reads, even an inactive one with an invalid index.
  Value* const index =
      builder_.CreateAnd(builder_.CreateFreeze(lane), llvm::ConstantInt::get(lane->getType(), lanes_ - 1));
  Value* const address = builder_.CreateGEP(value->getType()->getScalarType(), memory, index);
  return builder_.CreateMaskedGather(value->getType(), address, llvm::Align(4),
                                     llvm::Constant::getAllOnesValue(mask_type()));
}

// Returns `all` with `value` as the element of `lane`.
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

// Returns the element of `all` for `lane`.
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

// Returns the operands for all lanes; uniform ones stay scalars.
llvm::SmallVector<LaneCode::Value*> LaneCode::operands_of(const llvm::Instruction& instruction) {
  llvm::SmallVector<Value*> operands;
  for (const llvm::Use& operand : instruction.operands()) {
    const bool is_one = llvm::isa<llvm::Function, llvm::MetadataAsValue>(operand) ||
                        values_.of(operand).kind == LaneValue::Kind::kUniform;
    operands.push_back(is_one ? scalar(operand) : vector(operand));
  }
  return operands;
}

namespace {

// Emits `swap` of shared memory without atomicity: one thread runs a block, and no other accesses its memory.
llvm::Value* swap_alone(llvm::IRBuilder<>& builder, const llvm::AtomicCmpXchgInst& swap,
                        llvm::ArrayRef<llvm::Value*> own) {
  llvm::Value* const before = builder.CreateAlignedLoad(own[1]->getType(), own[0], swap.getAlign());
  llvm::Value* const is_expected = builder.CreateICmpEQ(before, own[1]);
  builder.CreateAlignedStore(builder.CreateSelect(is_expected, own[2], before), own[0], swap.getAlign());
  llvm::Value* const result = builder.CreateInsertValue(llvm::PoisonValue::get(swap.getType()), before, 0);
  return builder.CreateInsertValue(result, is_expected, 1);
}

}  // namespace

// Emits the instruction for one lane.
llvm::Value* LaneCode::copy_for(const llvm::Instruction& instruction, llvm::ArrayRef<Value*> operands, Value* lane) {
  llvm::SmallVector<Value*> own;
  for (unsigned i = 0; i < operands.size(); ++i) {
    const bool is_wide = operands[i]->getType() != instruction.getOperand(i)->getType();
    own.push_back(is_wide ? extract(operands[i], lane) : operands[i]);
  }
  const auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  if (swap != nullptr && !swap->isVolatile() && is_of_block(swap->getPointerOperand()))
    return swap_alone(builder_, *swap, own);
  return copy_with(instruction, own);
}

// Emits a loop over the active lanes: for instructions that have no vector form, or an effect per lane.
void LaneCode::emit_lane_by_lane(llvm::Instruction& instruction) {
  const llvm::SmallVector<Value*> operands = operands_of(instruction);
  Value* const bits = bits_of(mask_or_all());
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const body = add_block("lane");
  llvm::BasicBlock* const after = add_block("lanes.end");
  Value* const none = llvm::Constant::getNullValue(bits->getType());
  const bool may_be_empty = warps_ > 1 && mask() != nullptr;  // if only another warp is active
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

// A loop over the lanes of all warps in lockstep, with as much code for one warp as for many.
namespace {

constexpr unsigned kAtOnce = 4;  // lanes per iteration, if all are active; must divide a warp

bool is_simple(const llvm::Type* type) {
  return type->isPointerTy() || type->isFloatingPointTy() || (type->isIntegerTy() && !type->isIntegerTy(1));
}

// Keeps LLVM from unrolling a loop that is small on purpose.
void keep_small(llvm::Instruction& branch) {
  llvm::LLVMContext& context = branch.getContext();
  const auto flag = [&](const char* name) { return llvm::MDNode::get(context, llvm::MDString::get(context, name)); };
  llvm::Metadata* const parts[] = {nullptr, flag("llvm.loop.unroll.disable"), flag("llvm.loop.mustprogress")};
  llvm::MDNode* const loop = llvm::MDNode::getDistinct(context, parts);
  loop->replaceOperandWith(0, loop);
  branch.setMetadata(llvm::LLVMContext::MD_loop, loop);
}

// Emits `update` without atomicity, where no other thread accesses the memory.
llvm::Value* update_alone(llvm::IRBuilder<>& builder, const llvm::AtomicRMWInst& update, llvm::Value* place,
                          llvm::Value* value) {
  llvm::Value* const before = builder.CreateAlignedLoad(update.getType(), place, update.getAlign());
  builder.CreateAlignedStore(llvm::buildAtomicRMWValue(update.getOperation(), builder, before, value), place,
                             update.getAlign());
  return before;
}

}  // namespace

llvm::AllocaInst* LaneCode::lane_array(llvm::Type* type, unsigned slot) {
  llvm::AllocaInst*& array = lane_arrays_[{type, slot}];
  if (array == nullptr) {
    llvm::IRBuilder<> entry(&to_.getEntryBlock(), to_.getEntryBlock().begin());
    array = entry.CreateAlloca(llvm::ArrayType::get(type, std::uint64_t{warps_} * lanes_));
    array->setAlignment(llvm::Align(64));
  }
  return array;
}

// Returns the address of element `index` of `array`, in which the lanes of one warp follow those of the previous ones.
LaneCode::Value* LaneCode::element_of(llvm::AllocaInst* array, Value* index) {
  return builder_.CreateInBoundsGEP(array->getAllocatedType()->getArrayElementType(), array, index);
}

LaneCode::LaneOperand LaneCode::keep_for_lanes(llvm::Type* type, unsigned slot, OfLanes of_warp) {
  llvm::AllocaInst* const array = lane_array(type, slot);
  for_each_warp([&](unsigned warp) {
    builder_.CreateAlignedStore(of_warp(), element_of(array, builder_.getInt64(std::uint64_t{warp} * lanes_)),
                                llvm::Align(lanes_));
  });
  return {nullptr, array};
}

LaneCode::LaneOperand LaneCode::keep_for_lanes(const Value* value, unsigned slot) {
  if (values_.of(value).kind == LaneValue::Kind::kUniform) return {scalar(value), nullptr};
  return keep_for_lanes(value->getType(), slot, [&] { return vector(value); });
}

LaneCode::Value* LaneCode::of_lane(const LaneOperand& operand, Value* index) {
  if (operand.all == nullptr) return operand.one;
  return builder_.CreateLoad(operand.all->getAllocatedType()->getArrayElementType(), element_of(operand.all, index));
}

// Emits `step` for `count` lanes, from `first` on.
void LaneCode::loop_over(Value* first, unsigned count, OfLane step) {
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const body = add_block("lanes");
  llvm::BasicBlock* const after = add_block("lanes.end");
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode* const i = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  for (unsigned k = 0; k < kAtOnce; ++k)
    step(builder_.CreateAdd(first, builder_.CreateAdd(i, builder_.getInt64(k), "", true, true), "", true, true));
  Value* const next = builder_.CreateAdd(i, builder_.getInt64(kAtOnce), "", true, true);
  i->addIncoming(builder_.getInt64(0), before);
  i->addIncoming(next, builder_.GetInsertBlock());
  keep_small(*builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt64(count)), body, after));
  builder_.SetInsertPoint(after);
}

// Emits a loop of `step` over the lanes of a warp that are set in `bits`, which may be 0. The loop exits to `after`.
void LaneCode::loop_over_bits(Value* first, Value* bits, llvm::BasicBlock* after, OfLane step) {
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const body = add_block("lane");
  builder_.CreateCondBr(builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType())), body, after);
  builder_.SetInsertPoint(body);
  llvm::PHINode* const left = builder_.CreatePHI(bits->getType(), 2);
  Value* const lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue());
  step(builder_.CreateAdd(first, builder_.CreateZExtOrTrunc(lane, builder_.getInt64Ty()), "", true, true));
  Value* const rest = builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(left->getType(), 1)));
  left->addIncoming(bits, before);
  left->addIncoming(rest, builder_.GetInsertBlock());
  keep_small(
      *builder_.CreateCondBr(builder_.CreateICmpNE(rest, llvm::Constant::getNullValue(rest->getType())), body, after));
}

// Emits `step` for each active lane of all warps, in order. Its argument is the index of the lane in arrays.
void LaneCode::for_each_lane(OfLane step) {
  if (mask() == nullptr) return loop_over(builder_.getInt64(0), warps_ * lanes_, step);
  llvm::Type* const type = builder_.getIntNTy(lanes_);
  llvm::AllocaInst* const masks = lane_array(type, 0);
  for_each_warp(
      [&](unsigned warp) { builder_.CreateStore(bits_of(mask()), element_of(masks, builder_.getInt64(warp))); });
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const body = add_block("warp");
  llvm::BasicBlock* const whole = add_block("warp.whole");
  llvm::BasicBlock* const some = add_block("warp.some");
  llvm::BasicBlock* const end = add_block("warp.end");
  llvm::BasicBlock* const after = add_block("warps.end");
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode* const warp = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  Value* const bits = builder_.CreateLoad(type, element_of(masks, warp));
  Value* const first = builder_.CreateMul(warp, builder_.getInt64(lanes_), "", true, true);
  builder_.CreateCondBr(builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(type)), whole, some);
  builder_.SetInsertPoint(whole);
  loop_over(first, lanes_, step);
  builder_.CreateBr(end);
  builder_.SetInsertPoint(some);
  loop_over_bits(first, bits, end, step);
  builder_.SetInsertPoint(end);
  Value* const next = builder_.CreateAdd(warp, builder_.getInt64(1), "", true, true);
  warp->addIncoming(builder_.getInt64(0), before);
  warp->addIncoming(next, end);
  keep_small(*builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt64(warps_)), body, after));
  builder_.SetInsertPoint(after);
}

// Returns true if `one`, which all lanes run separately, is emitted as a loop.
bool LaneCode::goes_by_lanes(llvm::Instruction& one) const {
  const auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&one);
  if (update != nullptr) return is_simple(update->getType());
  const Value* const address = llvm::getLoadStorePointerOperand(&one);
  if (address == nullptr || one.isAtomic() || one.isVolatile() || is_one(address)) return false;
  llvm::Type* const type = llvm::getLoadStoreType(&one);
  if (!is_narrow(type) || is_contiguous(address, type)) return false;
  return llvm::isa<llvm::StoreInst>(one) || !can_gather_words(type, llvm::getLoadStoreAlignment(&one));
}

// `places`, if given, replaces the address operand of a load or a store.
void LaneCode::emit_by_lanes(llvm::Instruction& one, OfLanes places) {
  llvm::SmallVector<LaneOperand, 2> operands;
  for (const llvm::Use& operand : one.operands()) {
    const auto slot = static_cast<unsigned>(operands.size()) + 1;
    const bool is_given = places && operand.get() == llvm::getLoadStorePointerOperand(&one);
    operands.push_back(is_given ? keep_for_lanes(operand->getType(), slot, places) : keep_for_lanes(operand, slot));
  }
  llvm::AllocaInst* const results = one.use_empty() ? nullptr : lane_array(one.getType(), 3);
  const auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&one);
  const bool is_alone = update != nullptr && !one.isVolatile() && is_of_block(update->getPointerOperand());
  for_each_lane([&](Value* index) {
    llvm::SmallVector<Value*, 2> own;
    for (const LaneOperand& operand : operands) own.push_back(of_lane(operand, index));
    Value* const result = is_alone ? update_alone(builder_, *update, own[0], own[1]) : copy_with(one, own);
    if (results != nullptr) builder_.CreateStore(result, element_of(results, index));
  });
  if (results != nullptr) take_from_lanes(one, results);
}

LaneCode::Value* LaneCode::copy_with(const llvm::Instruction& instruction, llvm::ArrayRef<Value*> operands) {
  llvm::Instruction* const copy = instruction.clone();
  for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
  return builder_.Insert(copy);
}

void LaneCode::take_from_lanes(const llvm::Instruction& one, llvm::AllocaInst* results) {
  for_each_warp([&](unsigned warp) {
    set_vector(&one, builder_.CreateAlignedLoad(widened(one.getType()),
                                                element_of(results, builder_.getInt64(std::uint64_t{warp} * lanes_)),
                                                llvm::Align(lanes_)));
  });
}

// Returns true for numbers of 8 or 16 bits, of which no processor gathers or scatters vectors.
bool LaneCode::is_narrow(const llvm::Type* type) {
  const std::uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  return is_simple(type) && (bits == 8 || bits == 16);
}

// Returns true if the aligned words that contain such numbers may be gathered instead. A word never lies on two pages.
bool LaneCode::can_gather_words(const llvm::Type* type, llvm::Align align) const {
  return can_mask_ && align.value() * 8 >= type->getPrimitiveSizeInBits().getFixedValue();
}

LaneCode::Value* LaneCode::gather(llvm::Type* type, Value* places, llvm::Align align) {
  if (!is_narrow(type) || !can_gather_words(type, align))
    return builder_.CreateMaskedGather(widened(type), places, align, mask_or_all());
  llvm::Type* const word = widened(builder_.getInt32Ty());
  llvm::Type* const wide = widened(builder_.getInt64Ty());
  Value* const begins = builder_.CreateIntrinsic(llvm::Intrinsic::ptrmask, {places->getType(), wide},
                                                 {places, llvm::ConstantInt::get(wide, ~std::uint64_t{3})});
  Value* const words = builder_.CreateMaskedGather(word, begins, llvm::Align(4), mask_or_all());
  Value* const bytes = builder_.CreateAnd(builder_.CreateTrunc(builder_.CreatePtrToInt(places, wide), word),
                                          llvm::ConstantInt::get(word, 3));
  Value* const bits = builder_.CreateShl(bytes, llvm::ConstantInt::get(word, 3));
  llvm::Type* const whole = widened(builder_.getIntNTy(type->getScalarSizeInBits()));
  return builder_.CreateBitCast(builder_.CreateTrunc(builder_.CreateLShr(words, bits), whole), widened(type));
}

}  // namespace kmux::simt
