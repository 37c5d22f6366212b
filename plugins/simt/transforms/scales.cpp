// Lowers multiplication by a power of two to AVX-512's instruction for it. LLVM's IR has no operation that becomes it.
#include "simt/transforms/scales.h"

#include <algorithm>

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {
namespace {

using llvm::Value;

/// Emits calls of the instruction, which takes whole registers.
class Scaling {
 public:
  Scaling(llvm::CallInst& call, unsigned bits)
      : builder_(&call),
        type_(*call.getType()),
        count_(elements_of(*call.getType())),
        each_(bits / type_.getScalarSizeInBits()) {}

  Value* result_of(Value* x, Value* power) {
    llvm::SmallVector<Value*> pieces;
    for (unsigned first = 0; first < count_; first += each_) {
      pieces.push_back(instruction(piece(x, first), piece(power, first)));
    }
    Value* const all = llvm::concatenateVectors(builder_, pieces);
    if (!type_.isVectorTy()) return builder_.CreateExtractElement(all, std::uint64_t{0});
    return count_ < each_ ? builder_.CreateShuffleVector(all, places(0, count_, count_)) : all;
  }

 private:
  static unsigned elements_of(const llvm::Type& type) {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    return vector == nullptr ? 1 : vector->getNumElements();
  }

  // Returns the indices of `count` elements from `first` on; -1 beyond the last.
  static llvm::SmallVector<int> places(unsigned first, unsigned count, unsigned all) {
    llvm::SmallVector<int> order;
    for (unsigned i = first; i < first + count; ++i) order.push_back(i < all ? static_cast<int>(i) : -1);
    return order;
  }

  Value* piece(Value* whole, unsigned first) {
    if (type_.isVectorTy()) return builder_.CreateShuffleVector(whole, places(first, each_, count_));
    Value* const none = llvm::PoisonValue::get(llvm::FixedVectorType::get(&type_, each_));
    return builder_.CreateInsertElement(none, whole, std::uint64_t{0});
  }

  Value* instruction(Value* x, Value* power) {
    constexpr unsigned kMinMask = 8;  // bits
    constexpr unsigned kWide = 512;
    constexpr int kAsTheProcessorIsSet = 4;
    const bool is_wide = each_ * type_.getScalarSizeInBits() == kWide;
    const bool is_float = type_.getScalarType()->isFloatTy();
    const auto wide =
        is_float ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512 : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512;
    const auto half =
        is_float ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_256 : llvm::Intrinsic::x86_avx512_mask_scalef_pd_256;
    llvm::Type* const mask = builder_.getIntNTy(std::max(each_, kMinMask));
    llvm::SmallVector<Value*> operands{x, power, x, llvm::Constant::getAllOnesValue(mask)};
    if (is_wide) operands.push_back(builder_.getInt32(kAsTheProcessorIsSet));
    return builder_.CreateIntrinsic(is_wide ? wide : half, {}, operands);
  }

  llvm::IRBuilder<> builder_;
  llvm::Type& type_;
  const unsigned count_;
  const unsigned each_;
};

unsigned register_bits(const llvm::Function& function, const llvm::TargetMachine& machine) {
  constexpr unsigned kLeast = 256;
  const llvm::TargetTransformInfo target = machine.getTargetTransformInfo(function);
  const auto bits = target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return std::max(kLeast, static_cast<unsigned>(bits));
}

}  // namespace

llvm::PreservedAnalyses ScalesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.getName().starts_with(call::kScale)) continue;
    for (llvm::User* const user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      Scaling scaling(call, register_bits(*call.getFunction(), machine_));
      call.replaceAllUsesWith(scaling.result_of(call.getArgOperand(0), call.getArgOperand(1)));
      call.eraseFromParent();
    }
    function.eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
