// A value that a shuffle takes from a lane that does not participate is undefined. Most kernels never use it: the upper
// lanes of a reduction get such values and compute with them. So they are tracked to the writes, and reported there.
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "simt/analysis/thread_calls.h"
#include "simt/check/instrument.h"

namespace kmux::simt {
namespace {

/// The functions whose result may be such a value.
using Returning = llvm::SmallPtrSet<const llvm::Function*, 8>;

// Returns true if the result of `one` is undefined when an operand is. Memory is not tracked.
bool carries(const llvm::Instruction& one) {
  if (const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&one)) {
    return intrinsic->doesNotAccessMemory() && !one.getType()->isVoidTy();
  }
  return llvm::isa<llvm::UnaryOperator, llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                   llvm::PHINode, llvm::FreezeInst, llvm::ExtractValueInst, llvm::InsertValueInst>(one);
}

/// The values of a function that may come from a lane that does not participate, each with a bit that is true if it
/// does.
class UndefinedLanes {
 public:
  UndefinedLanes(llvm::Function& function, llvm::StringRef own_folder)
      : function_(function), sites_(*function.getParent(), own_folder), builder_(function.getContext()) {}

  /// Finds them. Returns false if the function has none.
  bool find(const Returning& returning);
  bool reaches_return() const;
  /// Writes the bits, and reports them where values are written or returned.
  void follow();

 private:
  using Value = llvm::Value;

  bool is_source(const llvm::Instruction& one, const Returning& returning) const;
  Value* call(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
  Value* bit_of(Value* value) { return bits_.contains(value) ? bits_[value] : builder_.getFalse(); }
  bool joins_any(const llvm::Instruction& one) const {
    return llvm::any_of(one.operand_values(), [&](const Value* value) { return bits_.contains(value); });
  }
  Value* joined_bit(llvm::Instruction& one);
  void make_bit(llvm::Instruction& one);
  void tell(llvm::Instruction& one);
  void complete(llvm::PHINode& value);

  llvm::Function& function_;
  Sites sites_;
  llvm::IRBuilder<> builder_;
  llvm::SetVector<llvm::Instruction*> values_;
  llvm::DenseMap<const Value*, Value*> bits_;
};

bool UndefinedLanes::is_source(const llvm::Instruction& one, const Returning& returning) const {
  const auto* const called = llvm::dyn_cast<llvm::CallInst>(&one);
  return calls(&one, call::kShuffle) || (called != nullptr && returning.contains(called->getCalledFunction()));
}

bool UndefinedLanes::find(const Returning& returning) {
  values_.clear();
  for (llvm::Instruction& one : llvm::instructions(function_)) {
    if (is_source(one, returning)) values_.insert(&one);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    for (llvm::User* const user : values_[i]->users()) {
      auto* const next = llvm::dyn_cast<llvm::Instruction>(user);
      if (next != nullptr && carries(*next)) values_.insert(next);
    }
  }
  return !values_.empty();
}

bool UndefinedLanes::reaches_return() const {
  return llvm::any_of(values_, [](const llvm::Instruction* value) {
    return llvm::any_of(value->users(), [](const llvm::User* user) { return llvm::isa<llvm::ReturnInst>(user); });
  });
}

llvm::Value* UndefinedLanes::call(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  const auto callee = function_.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return builder_.CreateCall(callee, arguments);
}

llvm::Value* UndefinedLanes::joined_bit(llvm::Instruction& one) {
  Value* bit = builder_.getFalse();
  for (Value* const operand : one.operand_values()) bit = builder_.CreateOr(bit, bit_of(operand));
  return bit;
}

void UndefinedLanes::make_bit(llvm::Instruction& one) {
  llvm::Type* const i32 = builder_.getInt32Ty();
  if (llvm::isa<llvm::PHINode>(one)) {
    builder_.SetInsertPoint(&one);
    bits_[&one] = builder_.CreatePHI(builder_.getInt1Ty(), one.getNumOperands());
    return;
  }
  const bool is_shuffle = calls(&one, call::kShuffle);
  if (is_shuffle) {
    builder_.SetInsertPoint(&one);
    call(call::kOffer, builder_.getVoidTy(), {builder_.CreateZExt(bit_of(one.getOperand(0)), i32)});
  }
  builder_.SetInsertPoint(one.getNextNode());
  if (is_shuffle || (llvm::isa<llvm::CallInst>(one) && !llvm::isa<llvm::IntrinsicInst>(one))) {
    bits_[&one] = builder_.CreateIsNotNull(call(is_shuffle ? call::kTaken : call::kReturned, i32, {}));
  } else {
    bits_[&one] = joined_bit(one);
  }
}

// Skips variables of the thread, which other threads cannot see.
void UndefinedLanes::tell(llvm::Instruction& one) {
  const Value* place = nullptr;
  if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&one)) place = store->getPointerOperand();
  if (auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&one)) place = update->getPointerOperand();
  if (auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&one)) place = swap->getPointerOperand();
  const bool returns = llvm::isa<llvm::ReturnInst>(one);
  if (!returns && (place == nullptr || llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(place)))) return;
  builder_.SetInsertPoint(&one);
  Value* const bit = builder_.CreateZExt(joined_bit(one), builder_.getInt32Ty());
  if (returns)
    call(call::kReturns, builder_.getVoidTy(), {bit});
  else
    call(call::kUndefined, builder_.getVoidTy(), {bit, sites_.of(one)});
}

void UndefinedLanes::complete(llvm::PHINode& value) {
  auto& bit = llvm::cast<llvm::PHINode>(*bits_[&value]);
  for (unsigned i = 0; i < value.getNumIncomingValues(); ++i) {
    bit.addIncoming(bit_of(value.getIncomingValue(i)), value.getIncomingBlock(i));
  }
}

void UndefinedLanes::follow() {
  llvm::SmallVector<llvm::Instruction*> in_order;
  for (llvm::BasicBlock* const block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
    for (llvm::Instruction& one : *block) in_order.push_back(&one);
  }
  const bool returns_one = reaches_return();
  for (llvm::Instruction* const one : in_order) {
    if (values_.contains(one)) {
      make_bit(*one);
    } else if (llvm::isa<llvm::ReturnInst>(one) ? returns_one : joins_any(*one)) {
      tell(*one);
    }
  }
  for (llvm::Instruction* const one : in_order) {
    if (auto* const phi = llvm::dyn_cast<llvm::PHINode>(one); phi != nullptr && bits_.contains(phi)) complete(*phi);
  }
}

// Returns those of `functions` that return such a value, computed there or by a callee.
Returning returning_of(std::span<llvm::Function* const> functions, llvm::StringRef own_folder) {
  Returning found;
  for (std::size_t before = 1; before != found.size();) {
    before = found.size();
    for (llvm::Function* const function : functions) {
      UndefinedLanes lanes(*function, own_folder);
      if (lanes.find(found) && lanes.reaches_return()) found.insert(function);
    }
    if (found.empty()) break;
  }
  return found;
}

}  // namespace

void watch_lanes(std::span<llvm::Function* const> functions, llvm::StringRef own_folder) {
  const Returning returning = returning_of(functions, own_folder);
  for (llvm::Function* const function : functions) {
    UndefinedLanes lanes(*function, own_folder);
    if (lanes.find(returning)) lanes.follow();
  }
}

}  // namespace kmux::simt
