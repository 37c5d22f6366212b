#include "simt/transforms/scalar_form.h"

#include <cmath>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
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

llvm::PreservedAnalyses ExpandCastsPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager&) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || !is_saturating_cast(*call)) continue;
    call->replaceAllUsesWith(expanded(*call));
    call->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
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
    // An element that nothing reads may be poison by now, which would spread to the others.
    llvm::Value* const read = builder.CreateFreeze(builder.CreateExtractElement(value, i));
    llvm::Value* const element = builder.CreateBitCast(read, builder.getIntNTy(bits));
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

llvm::PreservedAnalyses ExpandVectorCastsPass::run(llvm::Function& kernel, llvm::FunctionAnalysisManager&) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* const cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
    if (cast == nullptr || !is_number(cast->getSrcTy()) || !is_number(cast->getDestTy())) continue;
    if (!cast->getSrcTy()->isVectorTy() && !cast->getDestTy()->isVectorTy()) continue;
    llvm::IRBuilder<> builder(cast);
    cast->replaceAllUsesWith(from_integer(builder, as_integer(builder, cast->getOperand(0)), cast->getDestTy()));
    cast->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
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

}  // namespace kmux::simt
