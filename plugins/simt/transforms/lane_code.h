#pragma once

#include <utility>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "simt/analysis/lane_values.h"

namespace kmux::simt {

/// Returns true if `division`, a quotient or a remainder, divides signed numbers.
inline bool is_signed(const llvm::Instruction& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

/// Emits, for all lanes of a warp, instructions that are written for one thread. For several warps in lockstep, emits
/// each instruction for every warp before the next instruction.
///
/// Lifetime: borrows.
class LaneCode {
 public:
  LaneCode(llvm::Function& to, unsigned lanes, unsigned warps, const LaneValues& values)
      : to_(to),
        lanes_(lanes),
        warps_(warps),
        values_(values),
        can_mask_(to.getFnAttribute("target-features").getValueAsString().contains("+avx512f")),
        builder_(to.getContext()) {}

  /// One mask per warp; empty: all lanes of all warps.
  using Masks = llvm::SmallVector<llvm::Value*, 1>;

  unsigned warps() const { return warps_; }
  /// Calls `step` with each of the first `count` warps. Meanwhile, the functions below emit code for that warp.
  template <class Step>
  void for_each_warp(unsigned count, Step step) {
    const unsigned before = warp_;
    for (warp_ = 0; warp_ < count; ++warp_) step(warp_);
    warp_ = before;
  }
  template <class Step>
  void for_each_warp(Step step) {
    for_each_warp(warps_, step);
  }
  /// Returns the number of copies of `value` in the new function: one, if it is the same for all warps.
  unsigned copies(const llvm::Value* value) const {
    return values_.of(value).kind == LaneValue::Kind::kUniform ? 1 : warps_;
  }

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::BasicBlock* add_block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(to_.getContext(), name, &to_);
  }

  /// Sets the lanes that run the code emitted from now on.
  void set_masks(Masks masks) { masks_ = std::move(masks); }
  /// Returns `condition`, false in lanes that do not run.
  llvm::Value* masked(llvm::Value* condition);
  /// Returns a condition that is true if any lane is in one of `masks`.
  llvm::Value* any(const Masks& masks);
  /// Returns a condition that is true if any lane has `condition` (if not `wanted`: its negation). `masks` are the
  /// lanes that do.
  llvm::Value* any_of(const llvm::Value* condition, bool wanted, const Masks& masks);
  void set_region_masks(const llvm::BranchInst* branch, Masks masks) { region_masks_[branch] = std::move(masks); }
  const Masks& region_masks(const llvm::BranchInst* branch) const { return region_masks_.find(branch)->second; }

  llvm::Type* mask_type() { return llvm::FixedVectorType::get(builder_.getInt1Ty(), lanes_); }
  /// Returns `type` with an element per lane.
  llvm::Type* widened(llvm::Type* type);

  /// Sets the scalar form of `value` in the new function: the value of all lanes, or that of lane 0 if it is strided.
  void set(const llvm::Value* value, llvm::Value* scalar) { scalars_[{value, warp_}] = scalar; }
  bool is_vector(const llvm::Value* value) const { return values_.of(value).kind == LaneValue::Kind::kVarying; }
  llvm::Value* scalar(const llvm::Value* value);
  llvm::Value* vector(const llvm::Value* value);

  /// Begins the code of `block`.
  void enter(llvm::BasicBlock& block) { records_ = values_.records_in(block, can_mask_); }
  void emit(llvm::Instruction& instruction);

 private:
  using Value = llvm::Value;

  // True if each warp has one value for all its lanes.
  bool is_one(const Value* value) const {
    const LaneValue known = values_.of(value);
    return known.kind == LaneValue::Kind::kUniform || (known.kind == LaneValue::Kind::kStrided && known.stride == 0);
  }
  void set_vector(const Value* value, Value* vector) { vectors_[{value, warp_}] = vector; }
  Value* splat(Value* scalar);
  Value* mask() const { return masks_.empty() ? nullptr : masks_[warp_]; }  // null: all lanes
  Value* mask_or_all();

  // lane_tests.cpp
  Value* bits_of(Value* mask);
  Value* joined(Masks masks, llvm::Instruction::BinaryOps operation);
  Value* all_of(const Value* condition, bool wanted);
  Value* all_by_ends(const llvm::ICmpInst& compare, bool wanted);
  Value* safe_divisor(const llvm::Instruction& division, Masks& fits);
  void add_tests(const llvm::Instruction& instruction, llvm::Instruction& lane_0, Masks& fits);
  void add_range_tests(Value* first, std::int64_t stride, bool is_signed, Masks& fits);
  void add_division_tests(const llvm::Instruction& lane_0, std::int64_t stride, Masks& fits);

  unsigned copies_of(const llvm::Instruction& instruction) const;
  void emit_for_warp(llvm::Instruction& instruction);
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
  bool has_elements(llvm::Type* type, std::optional<std::int64_t> bytes_apart) const;
  std::optional<Records> likely_row(llvm::Instruction& access) const;
  Value* lane_0(const Value* value, Masks& fits);
  using Reached = llvm::ArrayRef<bool>;
  Value* load_row(llvm::Type* member, llvm::Align align, Value* first, Reached members);
  void store_row(Value* value, llvm::Align align, Value* first, Reached members);
  Value* mask_of(Reached members);
  void read_records(const Records& records, Value* first);
  void write_records(const Records& records, Value* first);
  void emit_records(const Records& records);
  bool is_row(const llvm::MemIntrinsic& bytes) const;
  void emit_bytes(llvm::MemIntrinsic& bytes);
  using OfWarp = llvm::function_ref<void(unsigned warp)>;
  void emit_either_way(llvm::ArrayRef<llvm::Instruction*> accesses, const Masks& fits, OfWarp write,
                       llvm::function_ref<void()> reach);
  using OfLanes = llvm::function_ref<Value*()>;  // returns a vector of the current warp
  void reach_apart(const Records& records);
  void reach_apart(llvm::Instruction& one, OfLanes places);
  Value* of_last_lane(const Value* value);
  Value* safe_address(Value* address, llvm::Type* type);
  void emit_alloca(const llvm::AllocaInst& variable);

  // lane_calls.cpp
  /// A value over the lanes of all warps: a uniform value, or an element per lane.
  struct LaneOperand {
    Value* one;
    llvm::AllocaInst* all;
  };
  using OfLane = llvm::function_ref<void(Value* index)>;
  bool goes_by_lanes(llvm::Instruction& one) const;
  void emit_by_lanes(llvm::Instruction& one, OfLanes places = {});
  llvm::AllocaInst* lane_array(llvm::Type* type, unsigned slot);
  Value* element_of(llvm::AllocaInst* array, Value* index);
  LaneOperand keep_for_lanes(llvm::Type* type, unsigned slot, OfLanes of_warp);
  LaneOperand keep_for_lanes(const Value* value, unsigned slot);
  Value* of_lane(const LaneOperand& operand, Value* index);
  Value* copy_with(const llvm::Instruction& instruction, llvm::ArrayRef<Value*> operands);
  void take_from_lanes(const llvm::Instruction& one, llvm::AllocaInst* results);
  void for_each_lane(OfLane step);
  void loop_over(Value* first, unsigned count, OfLane step);
  void loop_over_bits(Value* first, Value* bits, llvm::BasicBlock* after, OfLane step);
  static bool is_narrow(const llvm::Type* type);
  bool can_gather_words(const llvm::Type* type, llvm::Align align) const;
  Value* gather(llvm::Type* type, Value* places, llvm::Align align);

  bool emit_thread_call(const llvm::CallInst& call);
  Value* offered(const Value* value);
  Value* shuffle(Value* value, Value* lane);
  void emit_lane_by_lane(llvm::Instruction& instruction);
  llvm::SmallVector<Value*> operands_of(const llvm::Instruction& instruction);
  Value* copy_for(const llvm::Instruction& instruction, llvm::ArrayRef<Value*> operands, Value* lane);
  Value* insert(Value* all, Value* value, Value* lane);
  Value* extract(Value* all, Value* lane);

  llvm::Function& to_;
  const unsigned lanes_;
  const unsigned warps_;
  const LaneValues& values_;
  const bool can_mask_;  // true if elements of vectors in memory can be masked at no cost
  llvm::IRBuilder<> builder_;
  unsigned warp_ = 0;
  Masks masks_;
  llvm::DenseMap<std::pair<const Value*, unsigned>, Value*>
      scalars_;  // by warp; those of warp 0 hold for all, if the others have none
  llvm::DenseMap<std::pair<const Value*, unsigned>, Value*> vectors_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> spares_;
  llvm::DenseMap<std::pair<llvm::Type*, unsigned>, llvm::AllocaInst*> lane_arrays_;  // each used by one loop at a time
  llvm::DenseMap<const llvm::BranchInst*, Masks> region_masks_;
  std::vector<Records> records_;  // of the block being emitted
};

}  // namespace kmux::simt
