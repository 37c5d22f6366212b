#include "check/device_functions.h"

#include <map>

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

/// A walk over calls, each function once.
class Walk {
 public:
  /// Does a way from `function` lead back to a function that it is in?
  bool comes_back(const llvm::Function& function) {
    const auto [known, is_new] = is_open_.try_emplace(&function, true);
    if (!is_new) return known->second;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* const next = call == nullptr ? nullptr : call->getCalledFunction();
      if (next != nullptr && !next->isDeclaration() && comes_back(*next)) return true;
    }
    is_open_[&function] = false;
    return false;
  }

 private:
  std::map<const llvm::Function*, bool> is_open_;
};

}  // namespace

std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels) {
  llvm::SetVector<llvm::Function*> found(kernels.begin(), kernels.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for_each_function_in(*found[i], [&](llvm::Function& function) { found.insert(&function); });
  }
  return {found.begin(), found.end()};
}

bool is_recursive(const llvm::Function& kernel) { return Walk().comes_back(kernel); }

}  // namespace kmux::cpu::spmd
