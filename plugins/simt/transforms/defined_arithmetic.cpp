#include "simt/transforms/defined_arithmetic.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

using llvm::Instruction;

void replace_overflowing(llvm::BinaryOperator& division) {
  if (!may_overflow(division)) return;
  llvm::IRBuilder<> builder(&division);
  division.replaceAllUsesWith(divided(builder, division, division.getOperand(0), division.getOperand(1)));
  division.eraseFromParent();
}

// Hides the divisor: inlining would fold a quotient of the least integer by -1 to poison.
llvm::Value* hidden(llvm::IRBuilder<>& builder, llvm::Value* divisor) {
  const std::string name = std::string(call::kDivisor) + std::to_string(divisor->getType()->getIntegerBitWidth());
  return make_call(builder, name, divisor->getType(), divisor);
}

// Divides by 1 instead of 0. The test is of the divisor alone, so that the divisor stays uniform if it is.
void guard_divisor(llvm::BinaryOperator& division) {
  llvm::Value* const divisor = division.getOperand(1);
  if (llvm::isa<llvm::Constant>(divisor)) return replace_overflowing(division);
  llvm::IRBuilder<> builder(&division);
  llvm::Type* const type = division.getType();
  llvm::Value* const is_zero = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  llvm::Value* const safe = builder.CreateSelect(is_zero, llvm::ConstantInt::get(type, 1), divisor);
  division.setOperand(1, may_overflow(division) ? hidden(builder, safe) : safe);
}

// Returns true for a quotient of the least integer, or by -1: later passes would fold it if the other operand became
// known, too. No index of a row has such operands.
bool has_extreme_operand(const llvm::BinaryOperator& division) {
  const auto* const dividend = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(0));
  const auto* const divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  return (dividend != nullptr && dividend->isMinValue(true)) || (divisor != nullptr && divisor->isMinusOne());
}

void reveal(llvm::CallInst& call) {
  const llvm::SmallVector<llvm::User*> users(call.users());
  call.replaceAllUsesWith(call.getArgOperand(0));
  call.eraseFromParent();
  for (llvm::User* const user : users) {
    auto* const division = llvm::dyn_cast<llvm::BinaryOperator>(user);
    if (division != nullptr && may_overflow(*division) && has_extreme_operand(*division))
      replace_overflowing(*division);
  }
}

// Shifts out all bits if the shift amount is the width or more.
void guard_places(llvm::BinaryOperator& shift) {
  llvm::Value* const places = shift.getOperand(1);
  if (llvm::isa<llvm::Constant>(places)) return;
  llvm::IRBuilder<> builder(&shift);
  llvm::Type* const type = shift.getType();
  const unsigned bits = type->getScalarSizeInBits();
  if (shift.getOpcode() == Instruction::AShr) {
    llvm::Value* const most = llvm::ConstantInt::get(type, bits - 1);
    shift.setOperand(1, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, places, most));
    return;
  }
  llvm::Value* const fits = builder.CreateICmpULT(places, llvm::ConstantInt::get(type, bits));
  builder.SetInsertPoint(shift.getNextNode());
  llvm::Value* const guarded = builder.CreateSelect(fits, &shift, llvm::Constant::getNullValue(type));
  shift.replaceUsesWithIf(guarded, [&](const llvm::Use& use) { return use.getUser() != guarded; });
}

// Makes a byte that is not zero true, whatever its lowest bit.
void test_byte(llvm::LoadInst& load) {
  if (!load.getType()->isIntegerTy(8) || !load.hasMetadata(llvm::LLVMContext::MD_range)) return;
  load.setMetadata(llvm::LLVMContext::MD_range, nullptr);
  load.setMetadata(llvm::LLVMContext::MD_noundef, nullptr);
  const llvm::SmallVector<llvm::User*> users(load.users());
  for (llvm::User* const user : users) {
    auto* const bit = llvm::dyn_cast<llvm::TruncInst>(user);
    if (bit == nullptr || !bit->getType()->isIntegerTy(1)) continue;
    llvm::IRBuilder<> builder(bit);
    bit->replaceAllUsesWith(builder.CreateIsNotNull(&load));
  }
}

void define(Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return guard_divisor(llvm::cast<llvm::BinaryOperator>(instruction));
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      return guard_places(llvm::cast<llvm::BinaryOperator>(instruction));
    case Instruction::Load:
      return test_byte(llvm::cast<llvm::LoadInst>(instruction));
    default:
      return;
  }
}

}  // namespace

bool may_overflow(const Instruction& division) {
  if (division.getOpcode() != Instruction::SDiv && division.getOpcode() != Instruction::SRem) return false;
  const auto* const divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  if (divisor != nullptr && !divisor->isMinusOne()) return false;
  return llvm::ComputeNumSignBits(division.getOperand(0), division.getDataLayout()) == 1;
}

llvm::Value* divided(llvm::IRBuilder<>& builder, const Instruction& division, llvm::Value* dividend,
                     llvm::Value* divisor) {
  llvm::Type* const type = divisor->getType();
  llvm::Value* const is_minus_one = builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type));
  llvm::Value* const safe = builder.CreateSelect(is_minus_one, llvm::ConstantInt::get(type, 1), divisor);
  const auto code = llvm::cast<llvm::BinaryOperator>(division).getOpcode();
  llvm::Value* const value = builder.CreateBinOp(code, dividend, safe);
  if (code == Instruction::SRem) return value;
  return builder.CreateSelect(is_minus_one, builder.CreateNeg(dividend), value);
}

void reveal_divisors(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*> hidden;  // found first, as a division is replaced with its divisor
  for (Instruction& instruction : llvm::instructions(function)) {
    if (called(&instruction).starts_with(call::kDivisor)) hidden.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  for (llvm::CallInst* const one : hidden) reveal(*one);
}

void guard_divisions(llvm::Function& function) {
  reveal_divisors(function);
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* const division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) replace_overflowing(*division);
  }
}

void define_arithmetic(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) define(instruction);
  }
}

}  // namespace kmux::simt
