#include <cmath>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "spmd/steps.h"

namespace kmux::cpu::spmd {
namespace {

// A cast that gives the nearest number of its type, 0 for what is none. `cast` is made of comparisons, of which processors have
// vectors; of the whole they have not, and LLVM would do it for one lane after another.
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

}  // namespace kmux::cpu::spmd
