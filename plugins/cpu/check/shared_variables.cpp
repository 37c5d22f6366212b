#include "check/shared_variables.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "spmd/thread_calls.h"
#include "spmd/threads.h"

namespace kmux::cpu::spmd {
namespace {

void number_own(llvm::Function& function, std::vector<SharedVariable>& all) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::AllocaInst* const variable = shared_variable(instruction)) variables.push_back(variable);
  }
  if (!variables.empty()) erase_notes(function);
  for (llvm::AllocaInst* const variable : variables) {
    llvm::IRBuilder<> builder(variable);
    all.push_back(
        {variable->getName().str(), variable->getAllocationSize(function.getDataLayout())->getFixedValue(), &function});
    variable->replaceAllUsesWith(
        make_call(builder, call::kShared, builder.getPtrTy(), builder.getInt64(all.size() - 1)));
    variable->eraseFromParent();
  }
}

}  // namespace

std::vector<SharedVariable> number_shared(std::span<llvm::Function* const> functions) {
  std::vector<SharedVariable> all;
  for (llvm::Function* const function : functions) {
    number_own(*function, all);
    place_dynamic(*function);
  }
  return all;
}

}  // namespace kmux::cpu::spmd
