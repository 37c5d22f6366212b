// Memory accesses of lanes.
#include <algorithm>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MDBuilder.h"
#include "simt/transforms/lane_code.h"

namespace kmux::simt {

// Returns true if the places of the lanes, `bytes_apart`, are those of the elements of a vector of `type`.
bool LaneCode::has_elements(llvm::Type* type, std::optional<std::int64_t> bytes_apart) const {
  const auto bytes = to_.getDataLayout().getTypeStoreSize(type).getFixedValue();
  return bytes_apart == static_cast<std::int64_t>(bytes) &&
         to_.getDataLayout().getTypeAllocSize(type).getFixedValue() == bytes && !type->isIntegerTy(1);
}

bool LaneCode::is_contiguous(const Value* address, llvm::Type* type) const {
  const LaneValue known = values_.of(address);
  return known.kind == LaneValue::Kind::kStrided && has_elements(type, known.stride);
}

// Returns the mask of the accessed members of each lane's record. Null: all members of all lanes.
LaneCode::Value* LaneCode::mask_of(Reached members) {
  const bool is_whole = !llvm::is_contained(members, false);
  Value* all = mask();
  if (all != nullptr && members.size() > 1) {
    const auto count = static_cast<int>(members.size());
    all = builder_.CreateShuffleVector(all, llvm::createReplicatedMask(count, static_cast<int>(lanes_)));
  }
  if (is_whole) return all;
  llvm::SmallVector<llvm::Constant*> reached;
  for (unsigned i = 0; i < lanes_; ++i) {
    for (const bool member : members) reached.push_back(builder_.getInt1(member));
  }
  llvm::Constant* const constant = llvm::ConstantVector::get(reached);
  return all == nullptr ? constant : builder_.CreateAnd(all, constant);
}

LaneCode::Value* LaneCode::load_row(llvm::Type* member, llvm::Align align, Value* first, Reached members) {
  llvm::Type* const type = llvm::FixedVectorType::get(member, lanes_ * static_cast<unsigned>(members.size()));
  Value* const masks = mask_of(members);
  if (masks != nullptr) return builder_.CreateMaskedLoad(type, first, align, masks);
  return builder_.CreateAlignedLoad(type, first, align);
}

void LaneCode::store_row(Value* value, llvm::Align align, Value* first, Reached members) {
  Value* const masks = mask_of(members);
  if (masks != nullptr) {
    builder_.CreateMaskedStore(value, first, align, masks);
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
    return set_vector(&load, load_row(load.getType(), load.getAlign(), scalar(address), true));
  set_vector(&load, gather(load.getType(), vector(address), load.getAlign()));
}

// Returns `address`, or that of scratch memory if no lane of the warp is active: such a warp must not read where a lane
// would.
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

// Returns the value of the last active lane, as a scatter would leave it.
LaneCode::Value* LaneCode::of_last_lane(const Value* value) {
  if (is_one(value)) return scalar(value);
  if (mask() == nullptr) return builder_.CreateExtractElement(vector(value), lanes_ - 1);
  Value* const bits = bits_of(mask());
  Value* const above = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder_.getFalse());
  return builder_.CreateExtractElement(vector(value),
                                       builder_.CreateSub(llvm::ConstantInt::get(bits->getType(), lanes_ - 1), above));
}

void LaneCode::emit_store(const llvm::StoreInst& store) {
  const Value* const address = store.getPointerOperand();
  const Value* const value = store.getValueOperand();
  const bool is_uniform = values_.of(address).kind == LaneValue::Kind::kUniform;
  if (is_uniform && values_.of(value).kind == LaneValue::Kind::kUniform) return emit_scalar(store);
  if (mask() == nullptr && is_one(address) && is_one(value)) return emit_scalar(store);
  if (value->getType()->isAggregateType()) return emit_lane_by_lane(const_cast<llvm::StoreInst&>(store));
  if (is_one(address)) {
    Value* const to = safe_address(scalar(address), value->getType());
    builder_.CreateAlignedStore(of_last_lane(value), to, store.getAlign());
    return;
  }
  if (is_contiguous(address, value->getType()))
    return store_row(vector(value), store.getAlign(), scalar(address), true);
  builder_.CreateMaskedScatter(vector(value), vector(address), store.getAlign(), mask_or_all());
}

// Emits one place per lane, contiguously.
void LaneCode::emit_alloca(const llvm::AllocaInst& variable) {
  llvm::IRBuilder<> entry(&to_.getEntryBlock(), to_.getEntryBlock().begin());
  llvm::Type* const own = variable.getAllocatedType();
  const std::uint64_t bytes = lane_bytes(variable);
  const bool is_whole = variable.getDataLayout().getTypeAllocSize(own) == bytes;
  llvm::Type* const place = is_whole ? own : llvm::ArrayType::get(entry.getInt8Ty(), bytes);
  llvm::AllocaInst* const all = entry.CreateAlloca(llvm::ArrayType::get(place, lanes_));
  all->setAlignment(std::max(variable.getAlign(), llvm::Align(64)));
  set(&variable, all);
}

// Returns a row if `access` reaches contiguous places, ascending or descending, or reads one place. A bound in its
// address may still lie between two lanes. Unsigned sums, as of blockIdx and threadIdx, may wrap to 0, and for most of
// them that cannot be excluded.
std::optional<Records> LaneCode::likely_row(llvm::Instruction& access) const {
  if (access.isAtomic() || access.isVolatile()) return std::nullopt;
  const Value* const address = llvm::getLoadStorePointerOperand(&access);
  if (address == nullptr || is_one(address)) return std::nullopt;
  llvm::Type* const type = llvm::getLoadStoreType(&access);
  if (type->isAggregateType() || is_contiguous(address, type)) return std::nullopt;
  const std::optional<std::int64_t> found = values_.likely_stride(address);
  if (!found) return std::nullopt;
  const std::int64_t stride = *found;
  if (stride == 0 && llvm::isa<llvm::LoadInst>(access)) return Records{{&access}, &access};
  if (!has_elements(type, std::abs(stride)) || (stride < 0 && mask() != nullptr)) return std::nullopt;
  return Records{{&access}, &access, stride < 0 ? stride * (lanes_ - 1) : 0, stride};
}

// Returns lane 0's value of `value`, which must have a likely stride. Adds the conditions for that stride to `fits`.
LaneCode::Value* LaneCode::lane_0(const Value* value, Masks& fits) {
  if (!is_vector(value)) return scalar(value);
  const auto& instruction = *llvm::cast<llvm::Instruction>(value);
  llvm::Instruction* const copy = instruction.clone();
  for (llvm::Use& operand : copy->operands()) {
    if (!llvm::isa<llvm::Function>(operand)) operand.set(lane_0(operand, fits));
  }
  copy->dropPoisonGeneratingFlags();  // lane 0 may be inactive
  if (copy->isIntDivRem()) copy->setOperand(1, safe_divisor(*copy, fits));
  builder_.Insert(copy);
  add_tests(instruction, *copy, fits);
  return copy;
}

namespace {

using Vectors = llvm::SmallVector<llvm::Value*, 8>;

// Returns every `count`-th element of `row`, from each of the first ones on. Splits by halves, so that each step takes
// two registers for one.
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

// Returns the interleaved elements of `members`.
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

// Returns which members are accessed.
llvm::SmallVector<bool, 8> reached_of(const Records& records) {
  llvm::SmallVector<bool, 8> reached;
  for (const llvm::Instruction* const one : records.members) reached.push_back(one != nullptr);
  return reached;
}

}  // namespace

void LaneCode::read_records(const Records& records, Value* first) {
  const auto& load = *llvm::cast<llvm::LoadInst>(records.members.front());
  if (records.stride == 0) {
    Value* const from = safe_address(first, load.getType());
    return set_vector(&load, splat(builder_.CreateAlignedLoad(load.getType(), from, load.getAlign())));
  }
  Value* const row = load_row(load.getType(), load.getAlign(), first, reached_of(records));
  const Vectors members = members_of(builder_, row, static_cast<unsigned>(records.members.size()));
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (records.members[i] != nullptr)
      set_vector(records.members[i], records.stride < 0 ? builder_.CreateVectorReverse(members[i]) : members[i]);
  }
}

void LaneCode::write_records(const Records& records, Value* first) {
  const auto& store = *llvm::cast<llvm::StoreInst>(records.members.front());
  Value* const none = llvm::PoisonValue::get(widened(store.getValueOperand()->getType()));
  Vectors members;
  for (const llvm::Instruction* const one : records.members) {
    Value* const value = one != nullptr ? vector(one->getOperand(0)) : none;
    members.push_back(records.stride < 0 ? builder_.CreateVectorReverse(value) : value);
  }
  store_row(row_of(builder_, members), store.getAlign(), first, reached_of(records));
}

// Accesses each lane separately. Addresses are computed from that of `records.at`: at the first load, the operands of
// the others may not exist yet.
void LaneCode::reach_apart(const Records& records) {
  const Value* const here = llvm::getLoadStorePointerOperand(records.at);
  llvm::Type* const type = llvm::getLoadStoreType(records.at);
  const std::uint64_t bytes = to_.getDataLayout().getTypeAllocSize(type).getFixedValue();
  for (std::size_t i = 0; i < records.members.size(); ++i) {
    llvm::Instruction* const one = records.members[i];
    if (one == nullptr) continue;
    const std::uint64_t away = one == records.at ? 0 : static_cast<std::uint64_t>(records.offset) + i * bytes;
    reach_apart(*one, [&] { return builder_.CreateGEP(builder_.getInt8Ty(), vector(here), builder_.getInt64(away)); });
  }
}

void LaneCode::reach_apart(llvm::Instruction& one, OfLanes places) {
  llvm::Type* const type = llvm::getLoadStoreType(&one);
  const llvm::Align align = llvm::getLoadStoreAlignment(&one);
  const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one);
  if (is_narrow(type) && (store != nullptr || !can_gather_words(type, align))) return emit_by_lanes(one, places);
  for_each_warp([&](unsigned) {
    if (store == nullptr) return set_vector(&one, gather(type, places(), align));
    builder_.CreateMaskedScatter(vector(store->getValueOperand()), places(), align, mask_or_all());
  });
}

// Emits `accesses` for all warps: by `write` if all of `fits` are true; else by `reach`.
void LaneCode::emit_either_way(llvm::ArrayRef<llvm::Instruction*> accesses, const Masks& fits, OfWarp write,
                               llvm::function_ref<void()> reach) {
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
  reach();
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
    Value* const here = lane_0(llvm::getLoadStorePointerOperand(records.at), fits);
    first.push_back(
        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), here, static_cast<std::uint64_t>(records.offset)));
  });
  llvm::SmallVector<llvm::Instruction*> accesses(
      llvm::make_filter_range(records.members, [](auto* one) { return one != nullptr; }));
  const auto write = [&](unsigned warp) {
    llvm::isa<llvm::LoadInst>(records.at) ? read_records(records, first[warp]) : write_records(records, first[warp]);
  };
  emit_either_way(accesses, fits, write, [&] { reach_apart(records); });
}

bool LaneCode::is_row(const llvm::MemIntrinsic& bytes) const {
  constexpr std::uint64_t kMaxBytes = 64;
  const auto* const length = llvm::dyn_cast<llvm::ConstantInt>(bytes.getLength());
  const auto* const copy = llvm::dyn_cast<llvm::MemCpyInst>(&bytes);
  const auto* const set = llvm::dyn_cast<llvm::MemSetInst>(&bytes);
  const bool has_known_bytes = set != nullptr && llvm::isa<llvm::ConstantInt>(set->getValue());
  if (length == nullptr || length->isZero() || length->getValue().ugt(kMaxBytes) || bytes.isVolatile() ||
      (copy == nullptr && !has_known_bytes))
    return false;
  const auto stride = static_cast<std::int64_t>(length->getZExtValue());
  return values_.likely_stride(bytes.getDest()) == stride &&
         (copy == nullptr || values_.likely_stride(copy->getSource()) == stride);
}

// Emits a copy or a fill of one whole record per lane.
void LaneCode::emit_bytes(llvm::MemIntrinsic& bytes) {
  const std::uint64_t length = llvm::cast<llvm::ConstantInt>(bytes.getLength())->getZExtValue();
  const std::uint64_t unit = std::min<std::uint64_t>(length & -length, 8);
  const llvm::SmallVector<bool, 64> units(length / unit, true);
  auto* const type = builder_.getIntNTy(static_cast<unsigned>(8 * unit));
  auto* const copy = llvm::dyn_cast<llvm::MemCpyInst>(&bytes);
  Masks fits, to, from;
  for_each_warp([&](unsigned) {
    to.push_back(lane_0(bytes.getDest(), fits));
    if (copy != nullptr) from.push_back(lane_0(copy->getSource(), fits));
  });
  const auto write = [&](unsigned warp) {
    Value* row = nullptr;
    if (copy != nullptr) {
      row = load_row(type, copy->getSourceAlign().valueOrOne(), from[warp], units);
    } else {
      const llvm::APInt& byte =
          llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(bytes).getValue())->getValue();
      const llvm::APInt whole = llvm::APInt::getSplat(type->getBitWidth(), byte);
      row =
          llvm::ConstantInt::get(llvm::FixedVectorType::get(type, lanes_ * static_cast<unsigned>(units.size())), whole);
    }
    store_row(row, bytes.getDestAlign().valueOrOne(), to[warp], units);
  };
  emit_either_way({&bytes}, fits, write, [&] { for_each_warp([&](unsigned) { emit_lane_by_lane(bytes); }); });
}

}  // namespace kmux::simt
