#include "check/device_functions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

namespace kmux::cpu::spmd {
namespace {

template <class Visit>
void for_each_function_in(llvm::Function& function, Visit visit) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::Use& operand : instruction.operands()) {
      auto* const named = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
      if (named != nullptr && !named->isDeclaration()) visit(*named);
    }
  }
}

}  // namespace

std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels) {
  llvm::SetVector<llvm::Function*> found(kernels.begin(), kernels.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for_each_function_in(*found[i], [&](llvm::Function& function) { found.insert(&function); });
  }
  return {found.begin(), found.end()};
}

}  // namespace kmux::cpu::spmd
