#include "simt/transforms/stack_alignment.h"

#include <algorithm>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace kmux::simt {

llvm::PreservedAnalyses StackAlignmentPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  constexpr std::uint64_t kCacheLine = 64;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module) {
    if (function.isPresplitCoroutine()) continue;
    for (llvm::Instruction& one : llvm::instructions(function)) {
      auto* const array = llvm::dyn_cast<llvm::AllocaInst>(&one);
      if (array == nullptr || !array->isStaticAlloca() || !array->getAllocatedType()->isArrayTy()) continue;
      if (layout.getTypeAllocSize(array->getAllocatedType()) < kCacheLine) continue;
      array->setAlignment(std::max(array->getAlign(), llvm::Align(kCacheLine)));
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace kmux::simt
