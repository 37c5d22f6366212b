#pragma once

#include <functional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "spmd/lane_values.h"

namespace kmux::cpu::spmd {

/// Writes for all lanes of a warp what instructions do for one thread.
///
/// Lifetime: borrows.
class LaneCode {
 public:
  LaneCode(llvm::Function& to, unsigned lanes, const LaneValues& values)
      : to_(to), lanes_(lanes), values_(values), builder_(to.getContext()) {}

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::BasicBlock* add_block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(to_.getContext(), name, &to_);
  }

  /// The lanes that run what is emitted from now on; null: all.
  void set_mask(llvm::Value* mask) { mask_ = mask; }
  /// `condition` in the lanes that run.
  llvm::Value* masked(llvm::Value* condition);
  /// Has any lane the condition?
  llvm::Value* any(llvm::Value* mask);
  void set_region_mask(const llvm::BranchInst* branch, llvm::Value* mask) { region_masks_[branch] = mask; }
  llvm::Value* region_mask(const llvm::BranchInst* branch) const { return region_masks_.lookup(branch); }

  llvm::Type* mask_type() { return llvm::FixedVectorType::get(builder_.getInt1Ty(), lanes_); }
  /// A type with an element a lane.
  llvm::Type* widened(llvm::Type* type);

  /// Says what `value` is in the new function: in all lanes, or in lane 0 of those that go up by a constant.
  void set(const llvm::Value* value, llvm::Value* scalar) { scalars_[value] = scalar; }
  bool is_vector(const llvm::Value* value) const { return values_.of(value).kind == LaneValue::Kind::kVarying; }
  llvm::Value* scalar(const llvm::Value* value);
  llvm::Value* vector(const llvm::Value* value);

  void emit(llvm::Instruction& instruction);

 private:
  using Value = llvm::Value;

  void set_vector(const Value* value, Value* vector) { vectors_[value] = vector; }
  Value* splat(Value* scalar);
  Value* all_of(Value* condition);
  Value* mask_or_all();
  Value* bits_of(Value* mask);

  void emit_phi(const llvm::PHINode& phi);
  void emit_scalar(const llvm::Instruction& instruction);
  void emit_strided(const llvm::Instruction& instruction);
  void emit_vector(llvm::Instruction& instruction);
  bool emit_call(const llvm::CallInst& call);
  bool emit_access(const llvm::Instruction& instruction);
  Value* vector_form(const llvm::Instruction& instruction);
  Value* with_flags_of(const llvm::Instruction& instruction, Value* made);
  Value* addresses(const llvm::GetElementPtrInst& address);
  Value* chosen(const llvm::SelectInst& choice);
  void emit_division(const llvm::BinaryOperator& division);
  Value* quotient(Value* dividend, Value* divisor, bool is_signed);
  bool emit_intrinsic(const llvm::IntrinsicInst& intrinsic);

  // lane_memory.cpp
  void emit_load(const llvm::LoadInst& load);
  void emit_store(const llvm::StoreInst& store);
  bool is_contiguous(const Value* address, llvm::Type* type) const;
  void emit_alloca(const llvm::AllocaInst& variable);

  // lane_calls.cpp
  bool emit_thread_call(const llvm::CallInst& call);
  Value* shuffle(Value* value, Value* lane);
  void emit_lane_by_lane(llvm::Instruction& instruction);
  llvm::SmallVector<Value*> operands_of(const llvm::Instruction& instruction);
  llvm::Instruction* copy_for(const llvm::Instruction& instruction, llvm::ArrayRef<Value*> operands, Value* lane);
  Value* insert(Value* all, Value* value, Value* lane);

  llvm::Function& to_;
  const unsigned lanes_;
  const LaneValues& values_;
  llvm::IRBuilder<> builder_;
  Value* mask_ = nullptr;
  llvm::DenseMap<const Value*, Value*> scalars_;
  llvm::DenseMap<const Value*, Value*> vectors_;
  llvm::DenseMap<const llvm::BranchInst*, Value*> region_masks_;
};

}  // namespace kmux::cpu::spmd
