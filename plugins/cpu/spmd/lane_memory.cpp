// What lanes read and write.
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MDBuilder.h"
#include "spmd/lane_code.h"

namespace kmux::cpu::spmd {

// Are the lanes' places, so many bytes apart, those of the elements of a vector of `type`?
bool LaneCode::has_elements(llvm::Type* type, std::optional<std::int64_t> bytes_apart) const {
  const auto bytes = to_.getDataLayout().getTypeStoreSize(type).getFixedValue();
  return bytes_apart == static_cast<std::int64_t>(bytes) &&
         to_.getDataLayout().getTypeAllocSize(type).getFixedValue() == bytes && !type->isIntegerTy(1);
}

bool LaneCode::is_contiguous(const Value* address, llvm::Type* type) const {
  const LaneValue known = values_.of(address);
  return known.kind == LaneValue::Kind::kStrided && has_elements(type, known.stride);
}

// Of each lane for all members of its record. Null: all lanes.
LaneCode::Value* LaneCode::mask_of(unsigned members) {
  if (mask() == nullptr || members == 1) return mask();
  return builder_.CreateShuffleVector(mask(),
                                      llvm::createReplicatedMask(static_cast<int>(members), static_cast<int>(lanes_)));
}

LaneCode::Value* LaneCode::load_row(llvm::Type* member, llvm::Align align, Value* first, unsigned members) {
  llvm::Type* const type = llvm::FixedVectorType::get(member, lanes_ * members);
  if (mask() != nullptr) return builder_.CreateMaskedLoad(type, first, align, mask_of(members));
  return builder_.CreateAlignedLoad(type, first, align);
}

void LaneCode::store_row(Value* value, llvm::Align align, Value* first, unsigned members) {
  if (mask() != nullptr) {
    builder_.CreateMaskedStore(value, first, align, mask_of(members));
  } else {
    builder_.CreateAlignedStore(value, first, align);
  }
}

void LaneCode::emit_load(const llvm::LoadInst& load) {
  const Value* const address = load.getPointerOperand();
  if (values_.of(&load).kind == LaneValue::Kind::kUniform) return emit_scalar(load);
  if (values_.of(&load).kind == LaneValue::Kind::kStrided) {
    Value* const from = safe_address(scalar(address), load.getType());
    return set(&load, builder_.CreateAlignedLoad(load.getType(), from, load.getAlign()));
  }
  if (load.getType()->isAggregateType()) return emit_lane_by_lane(const_cast<llvm::LoadInst&>(load));
  if (is_contiguous(address, load.getType()))
    return set_vector(&load, load_row(load.getType(), load.getAlign(), scalar(address), 1));
  set_vector(&load,
             builder_.CreateMaskedGather(widened(load.getType()), vector(address), load.getAlign(), mask_or_all()));
}

// A warp of which no lane runs, while another one does, must not read where a lane would: it reads memory of its own.
LaneCode::Value* LaneCode::safe_address(Value* address, llvm::Type* type) {
  if (mask() == nullptr) return address;
  llvm::AllocaInst*& spare = spares_[type];
  if (spare == nullptr) {
    llvm::IRBuilder<> entry(&to_.getEntryBlock(), to_.getEntryBlock().begin());
    spare = entry.CreateAlloca(type);
    spare->setAlignment(llvm::Align(64));
  }
  return builder_.CreateSelect(any({mask()}), address, spare);
}

void LaneCode::emit_store(const llvm::StoreInst& store) {
  const Value* const address = store.getPointerOperand();
  const Value* const value = store.getValueOperand();
  const bool is_uniform = values_.of(address).kind == LaneValue::Kind::kUniform;
  if (is_uniform && values_.of(value).kind == LaneValue::Kind::kUniform) return emit_scalar(store);
  if (mask() == nullptr && is_one(address) && is_one(value)) return emit_scalar(store);
  if (value->getType()->isAggregateType()) return emit_lane_by_lane(const_cast<llvm::StoreInst&>(store));
  if (is_contiguous(address, value->getType())) return store_row(vector(value), store.getAlign(), scalar(address), 1);
  builder_.CreateMaskedScatter(vector(value), vector(address), store.getAlign(), mask_or_all());
}

// A place a lane, one after another.
void LaneCode::emit_alloca(const llvm::AllocaInst& variable) {
  llvm::IRBuilder<> entry(&to_.getEntryBlock(), to_.getEntryBlock().begin());
  auto* const type = llvm::ArrayType::get(variable.getAllocatedType(), lanes_);
  const Value* const count = variable.getArraySize();
  llvm::AllocaInst* const all =
      entry.CreateAlloca(type, llvm::isa<llvm::ConstantInt>(count) ? const_cast<Value*>(count) : nullptr);
  all->setAlignment(std::max(variable.getAlign(), llvm::Align(64)));
  set(&variable, all);
}

// Does `access` reach places that follow one another, unless an index that is extended to an address's width begins again at 0
// from one lane to the next? Those of unsigned sums may, as blockIdx and threadIdx are, and it cannot be known of most.
bool LaneCode::is_likely_contiguous(const llvm::Instruction& access) const {
  if (access.isAtomic() || access.isVolatile()) return false;
  const Value* const address = llvm::getLoadStorePointerOperand(&access);
  if (address == nullptr || values_.of(address).kind != LaneValue::Kind::kVarying) return false;
  llvm::Type* const type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  return !type->isAggregateType() && has_elements(type, values_.likely_stride(address));
}

// Is what `cast` extends a progression in its own type, and not modulo its width alone?
LaneCode::Value* LaneCode::fits(const llvm::CastInst& cast) {
  const bool is_signed = llvm::isa<llvm::SExtInst>(cast);
  const unsigned bits = cast.getSrcTy()->getIntegerBitWidth();
  const std::int64_t stride = values_.of(cast.getOperand(0)).stride;
  const llvm::APInt reach = llvm::APInt(bits, static_cast<std::uint64_t>(stride), true) * (lanes_ - 1);
  const bool rises = stride > 0;
  const llvm::APInt least = is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  const auto predicate = rises ? llvm::ICmpInst::ICMP_ULE : llvm::ICmpInst::ICMP_UGE;
  return builder_.CreateICmp(is_signed ? llvm::ICmpInst::getSignedPredicate(predicate) : predicate,
                             scalar(cast.getOperand(0)), builder_.getInt(rises ? most - reach : least - reach));
}

// What lane 0 has of `value`, which has a likely stride. Adds to `all` what must be true for that.
LaneCode::Value* LaneCode::lane_0(const Value* value, Masks& all) {
  if (values_.of(value).kind != LaneValue::Kind::kVarying) return scalar(value);
  const auto& instruction = *llvm::cast<llvm::Instruction>(value);
  if (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    all.push_back(fits(*cast));
    return builder_.CreateCast(cast->getOpcode(), scalar(cast->getOperand(0)), cast->getType());
  }
  llvm::Instruction* const copy = instruction.clone();
  for (llvm::Use& operand : copy->operands()) operand.set(lane_0(operand, all));
  copy->dropPoisonGeneratingFlags();  // lane 0 need not run
  return builder_.Insert(copy);
}

namespace {

using Vectors = llvm::SmallVector<llvm::Value*, 8>;

// Every `count`-th element of `row`, from each of the first ones on. By halves, so that each step takes two registers for one.
Vectors members_of(llvm::IRBuilder<>& builder, llvm::Value* row, unsigned count) {
  if (count == 1) return {row};
  const unsigned size = llvm::cast<llvm::FixedVectorType>(row->getType())->getNumElements();
  const unsigned ways = count % 2 == 0 ? 2 : count;
  Vectors all(count);
  for (unsigned way = 0; way < ways; ++way) {
    llvm::Value* const part = builder.CreateShuffleVector(row, llvm::createStrideMask(way, ways, size / ways));
    const Vectors members = members_of(builder, part, count / ways);
    for (unsigned i = 0; i < members.size(); ++i) all[i * ways + way] = members[i];
  }
  return all;
}

// The elements of `members` in turns.
llvm::Value* row_of(llvm::IRBuilder<>& builder, const Vectors& members) {
  const auto count = static_cast<unsigned>(members.size());
  if (count == 1) return members.front();
  const unsigned ways = count % 2 == 0 ? 2 : count;
  Vectors parts;
  for (unsigned way = 0; way < ways; ++way) {
    Vectors part;
    for (unsigned i = way; i < count; i += ways) part.push_back(members[i]);
    parts.push_back(row_of(builder, part));
  }
  const unsigned size = llvm::cast<llvm::FixedVectorType>(parts.front()->getType())->getNumElements();
  return builder.CreateShuffleVector(llvm::concatenateVectors(builder, parts), llvm::createInterleaveMask(size, ways));
}

}  // namespace

void LaneCode::read_records(const Records& records, Value* first) {
  const auto& load = *llvm::cast<llvm::LoadInst>(records.members.front());
  const auto count = static_cast<unsigned>(records.members.size());
  const Vectors members = members_of(builder_, load_row(load.getType(), load.getAlign(), first, count), count);
  for (unsigned i = 0; i < count; ++i) set_vector(records.members[i], members[i]);
}

void LaneCode::write_records(const Records& records, Value* first) {
  Vectors members;
  for (const llvm::Instruction* const store : records.members) members.push_back(vector(store->getOperand(0)));
  store_row(row_of(builder_, members), llvm::cast<llvm::StoreInst>(records.members.front())->getAlign(), first,
            static_cast<unsigned>(members.size()));
}

// `accesses` for all warps: by `write`, if what it relies on `fits`; else each lane by itself.
void LaneCode::emit_either_way(llvm::ArrayRef<llvm::Instruction*> accesses, const Masks& fits, Row write) {
  if (fits.empty()) return for_each_warp(write);
  llvm::BasicBlock* const row = add_block("row");
  llvm::BasicBlock* const apart = add_block("apart");
  llvm::BasicBlock* const after = add_block("access.end");
  builder_.CreateCondBr(builder_.CreateFreeze(joined(fits, llvm::Instruction::And)), row, apart,
                        llvm::MDBuilder(to_.getContext()).createLikelyBranchWeights());
  builder_.SetInsertPoint(row);
  for_each_warp(write);
  llvm::SmallVector<Value*> of_rows;
  for (llvm::Instruction* const one : accesses) {
    if (!one->getType()->isVoidTy()) for_each_warp([&](unsigned) { of_rows.push_back(vector(one)); });
  }
  builder_.CreateBr(after);
  builder_.SetInsertPoint(apart);
  for (llvm::Instruction* const one : accesses) for_each_warp([&](unsigned) { emit_for_warp(*one); });
  llvm::BasicBlock* const end = builder_.GetInsertBlock();
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  auto of_row = of_rows.begin();
  for (llvm::Instruction* const one : accesses) {
    if (one->getType()->isVoidTy()) continue;
    for_each_warp([&](unsigned) {
      llvm::PHINode* const either = builder_.CreatePHI(widened(one->getType()), 2);
      either->addIncoming(*of_row++, row);
      either->addIncoming(vector(one), end);
      set_vector(one, either);
    });
  }
}

void LaneCode::emit_records(const Records& records) {
  Masks fits, first;
  for_each_warp([&](unsigned) {
    Value* const base = lane_0(records.base, fits);
    first.push_back(
        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, static_cast<std::uint64_t>(records.offset)));
  });
  emit_either_way(records.members, fits, [&](unsigned warp) {
    llvm::isa<llvm::LoadInst>(records.at) ? read_records(records, first[warp]) : write_records(records, first[warp]);
  });
}

bool LaneCode::is_row(const llvm::MemIntrinsic& bytes) const {
  constexpr std::uint64_t kMostBytes = 64;
  const auto* const length = llvm::dyn_cast<llvm::ConstantInt>(bytes.getLength());
  const auto* const copy = llvm::dyn_cast<llvm::MemCpyInst>(&bytes);
  const auto* const set = llvm::dyn_cast<llvm::MemSetInst>(&bytes);
  const bool has_known_bytes = set != nullptr && llvm::isa<llvm::ConstantInt>(set->getValue());
  if (length == nullptr || length->getValue().ugt(kMostBytes) || bytes.isVolatile() ||
      (copy == nullptr && !has_known_bytes))
    return false;
  const auto stride = static_cast<std::int64_t>(length->getZExtValue());
  return values_.likely_stride(bytes.getDest()) == stride &&
         (copy == nullptr || values_.likely_stride(copy->getSource()) == stride);
}

// A record a lane, which is copied or set whole.
void LaneCode::emit_bytes(llvm::MemIntrinsic& bytes) {
  const std::uint64_t length = llvm::cast<llvm::ConstantInt>(bytes.getLength())->getZExtValue();
  const std::uint64_t unit = std::min<std::uint64_t>(length & -length, 8);
  const auto units = static_cast<unsigned>(length / unit);
  auto* const type = builder_.getIntNTy(static_cast<unsigned>(8 * unit));
  auto* const copy = llvm::dyn_cast<llvm::MemCpyInst>(&bytes);
  Masks fits, to, from;
  for_each_warp([&](unsigned) {
    to.push_back(lane_0(bytes.getDest(), fits));
    if (copy != nullptr) from.push_back(lane_0(copy->getSource(), fits));
  });
  emit_either_way({&bytes}, fits, [&](unsigned warp) {
    Value* row = nullptr;
    if (copy != nullptr) {
      row = load_row(type, copy->getSourceAlign().valueOrOne(), from[warp], units);
    } else {
      const llvm::APInt& byte =
          llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(bytes).getValue())->getValue();
      const llvm::APInt whole = llvm::APInt::getSplat(type->getBitWidth(), byte);
      row = llvm::ConstantInt::get(llvm::FixedVectorType::get(type, lanes_ * units), whole);
    }
    store_row(row, bytes.getDestAlign().valueOrOne(), to[warp], units);
  });
}

}  // namespace kmux::cpu::spmd
