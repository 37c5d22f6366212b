#include <cmath>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

using llvm::Instruction;

void replace_overflowing(llvm::BinaryOperator& division) {
  if (!may_overflow(division)) return;
  llvm::IRBuilder<> builder(&division);
  division.replaceAllUsesWith(divided(builder, division, division.getOperand(0), division.getOperand(1)));
  division.eraseFromParent();
}

// Divides by 1 instead of 0. The test is of the divisor alone, so that the divisor stays uniform if it is.
void guard_divisor(llvm::BinaryOperator& division) {
  llvm::Value* const divisor = division.getOperand(1);
  if (llvm::isa<llvm::Constant>(divisor)) return replace_overflowing(division);
  llvm::IRBuilder<> builder(&division);
  llvm::Type* const type = division.getType();
  llvm::Value* const is_zero = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  division.setOperand(1, builder.CreateSelect(is_zero, llvm::ConstantInt::get(type, 1), divisor));
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

void guard_divisions(llvm::Function& function) {
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* const division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) replace_overflowing(*division);
  }
}

void define_arithmetic(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) define(instruction);
  }
}

namespace {

// Returns the saturating `cast`, 0 for NaN, as comparisons and selects. Processors have these for vectors, but not the
// cast as a whole, for which LLVM would emit code lane by lane.
llvm::Value* expanded(llvm::IntrinsicInst& cast) {
  llvm::IRBuilder<> builder(&cast);
  llvm::Value* const x = cast.getArgOperand(0);
  llvm::Type* const type = cast.getType();
  const unsigned bits = type->getIntegerBitWidth();
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  const auto integer = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(type, value); };
  if (cast.getIntrinsicID() == llvm::Intrinsic::fptoui_sat) {
    llvm::Value* const above = builder.CreateFCmpOGT(x, number(0));
    llvm::Value* const value = builder.CreateSelect(above, builder.CreateFPToUI(x, type), builder.getIntN(bits, 0));
    llvm::Value* const is_large = builder.CreateFCmpOGE(x, number(std::ldexp(1.0, static_cast<int>(bits))));
    return builder.CreateSelect(is_large, integer(llvm::APInt::getMaxValue(bits)), value);
  }
  const double bound = std::ldexp(1.0, static_cast<int>(bits) - 1);
  llvm::Value* const least = builder.CreateSelect(builder.CreateFCmpUNO(x, x), builder.getIntN(bits, 0),
                                                  integer(llvm::APInt::getSignedMinValue(bits)));
  llvm::Value* const value =
      builder.CreateSelect(builder.CreateFCmpOGT(x, number(-bound)), builder.CreateFPToSI(x, type), least);
  return builder.CreateSelect(builder.CreateFCmpOGE(x, number(bound)), integer(llvm::APInt::getSignedMaxValue(bits)),
                              value);
}

bool is_saturating_cast(const llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  return (id == llvm::Intrinsic::fptosi_sat || id == llvm::Intrinsic::fptoui_sat) &&
         (call.getArgOperand(0)->getType()->isFloatTy() || call.getArgOperand(0)->getType()->isDoubleTy());
}

}  // namespace

void expand_casts(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || !is_saturating_cast(*call)) continue;
    call->replaceAllUsesWith(expanded(*call));
    call->eraseFromParent();
  }
}

namespace {

unsigned bits_of(const llvm::Type* type) {
  return static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
}

// Returns `value`, a vector or not, as an integer of its bits.
llvm::Value* as_integer(llvm::IRBuilder<>& builder, llvm::Value* value) {
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  llvm::Type* const whole = builder.getIntNTy(bits_of(value->getType()));
  if (type == nullptr) return builder.CreateBitCast(value, whole);
  const unsigned bits = bits_of(type->getElementType());
  llvm::Value* all = llvm::ConstantInt::get(whole, 0);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::Value* const element = builder.CreateBitCast(builder.CreateExtractElement(value, i), builder.getIntNTy(bits));
    all = builder.CreateOr(all, builder.CreateShl(builder.CreateZExt(element, whole), std::uint64_t{bits} * i));
  }
  return all;
}

// Returns the integer `all` as a value of type `wanted`, a vector or not.
llvm::Value* from_integer(llvm::IRBuilder<>& builder, llvm::Value* all, llvm::Type* wanted) {
  auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(wanted);
  if (type == nullptr) return builder.CreateBitCast(all, wanted);
  const unsigned bits = bits_of(type->getElementType());
  llvm::Value* vector = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::Value* const element =
        builder.CreateTrunc(builder.CreateLShr(all, std::uint64_t{bits} * i), builder.getIntNTy(bits));
    vector = builder.CreateInsertElement(vector, builder.CreateBitCast(element, type->getElementType()), i);
  }
  return vector;
}

bool is_number(const llvm::Type* type) { return !type->getScalarType()->isPointerTy(); }

bool has_vector(const llvm::Type* type) {
  if (type->isVectorTy()) return true;
  return llvm::isa<llvm::StructType, llvm::ArrayType>(type) && llvm::any_of(type->subtypes(), has_vector);
}

}  // namespace

void expand_vector_casts(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* const cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
    if (cast == nullptr || !is_number(cast->getSrcTy()) || !is_number(cast->getDestTy())) continue;
    if (!cast->getSrcTy()->isVectorTy() && !cast->getDestTy()->isVectorTy()) continue;
    llvm::IRBuilder<> builder(cast);
    cast->replaceAllUsesWith(from_integer(builder, as_integer(builder, cast->getOperand(0)), cast->getDestTy()));
    cast->eraseFromParent();
  }
}

Status check_scalars(const llvm::Function& kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::Type* found = has_vector(instruction.getType()) ? instruction.getType() : nullptr;
    for (const llvm::Use& operand : instruction.operands()) {
      if (has_vector(operand->getType())) found = operand->getType();
    }
    if (found == nullptr) continue;
    std::string type;
    llvm::raw_string_ostream stream(type);
    found->print(stream);
    return make_error(ErrorCode::kUnsupported,
                      "kernel \"" + kernel.getName().str() + "\" has a thread work with whole vectors (" + type +
                          "), of which there are none for all threads of a warp. Write it for elements" +
                          location_of(instruction));
  }
  return Ok{};
}

}  // namespace kmux::cpu::spmd
