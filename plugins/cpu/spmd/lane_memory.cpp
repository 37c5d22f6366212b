// What lanes read and write.
#include "spmd/lane_code.h"

namespace kmux::cpu::spmd {

bool LaneCode::is_contiguous(const Value* address, llvm::Type* type) const {
  const LaneValue known = values_.of(address);
  const auto bytes = to_.getDataLayout().getTypeStoreSize(type).getFixedValue();
  return known.kind == LaneValue::Kind::kStrided && known.stride == static_cast<std::int64_t>(bytes) &&
         to_.getDataLayout().getTypeAllocSize(type).getFixedValue() == bytes && !type->isIntegerTy(1);
}

void LaneCode::emit_load(const llvm::LoadInst& load) {
  const Value* const address = load.getPointerOperand();
  if (values_.of(&load).kind == LaneValue::Kind::kUniform) return emit_scalar(load);
  if (values_.of(&load).kind == LaneValue::Kind::kStrided) {
    Value* const from = safe_address(scalar(address), load.getType());
    return set(&load, builder_.CreateAlignedLoad(load.getType(), from, load.getAlign()));
  }
  if (load.getType()->isAggregateType()) return emit_lane_by_lane(const_cast<llvm::LoadInst&>(load));
  llvm::Type* const type = widened(load.getType());
  Value* made = nullptr;
  if (!is_contiguous(address, load.getType())) {
    made = builder_.CreateMaskedGather(type, vector(address), load.getAlign(), mask_or_all());
  } else if (mask() != nullptr) {
    made = builder_.CreateMaskedLoad(type, scalar(address), load.getAlign(), mask());
  } else {
    made = builder_.CreateAlignedLoad(type, scalar(address), load.getAlign());
  }
  set_vector(&load, made);
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
  if (is_contiguous(address, value->getType())) {
    if (mask() != nullptr) {
      builder_.CreateMaskedStore(vector(value), scalar(address), store.getAlign(), mask());
    } else {
      builder_.CreateAlignedStore(vector(value), scalar(address), store.getAlign());
    }
    return;
  }
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

}  // namespace kmux::cpu::spmd
