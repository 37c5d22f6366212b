#include "simt/check/divisions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "simt/analysis/thread_calls.h"
#include "simt/check/instrument.h"
#include "simt/transforms/defined_arithmetic.h"

namespace kmux::simt {
namespace {

// Returns the divisor as the source has it: define_arithmetic puts 1 in the place of 0, and hides the result.
llvm::Value* source_divisor(const llvm::BinaryOperator& division) {
  using namespace llvm::PatternMatch;
  llvm::Value* divisor = division.getOperand(1);
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(divisor);
  if (call != nullptr && called(call).starts_with(call::kDivisor)) divisor = call->getArgOperand(0);
  llvm::Value* own = nullptr;
  llvm::CmpInst::Predicate predicate = {};
  const bool is_guarded =
      match(divisor, m_Select(m_ICmp(predicate, m_Value(own), m_ZeroInt()), m_One(), m_Deferred(own)));
  return is_guarded && predicate == llvm::CmpInst::ICMP_EQ ? own : divisor;
}

void watch(llvm::BinaryOperator& division) {
  llvm::Value* const divisor = source_divisor(division);
  llvm::IRBuilder<> builder(&division);
  llvm::Type* const type = division.getType();
  llvm::Value* const is_zero = builder.CreateIsNull(divisor);
  llvm::Value* overflows = builder.getFalse();
  if (may_overflow(division)) {
    const llvm::APInt least = llvm::APInt::getSignedMinValue(type->getIntegerBitWidth());
    llvm::Value* const is_least = builder.CreateICmpEQ(division.getOperand(0), llvm::ConstantInt::get(type, least));
    overflows = builder.CreateAnd(is_least, builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
  }
  llvm::Type* const bit = builder.getInt32Ty();
  const auto quotient = division.getModule()->getOrInsertFunction(
      call::kQuotient, llvm::FunctionType::get(builder.getVoidTy(), {bit, bit, builder.getPtrTy()}, false));
  builder.CreateCall(quotient, {builder.CreateZExt(is_zero, bit), builder.CreateZExt(overflows, bit),
                                llvm::ConstantPointerNull::get(builder.getPtrTy())});
}

}  // namespace

void watch_divisions(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (division == nullptr || !division->isIntDivRem() || !division->getType()->isIntegerTy()) continue;
    if (!llvm::isa<llvm::Constant>(division->getOperand(1))) watch(*division);
  }
}

}  // namespace kmux::simt
