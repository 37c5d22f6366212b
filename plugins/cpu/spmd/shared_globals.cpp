#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "spmd/steps.h"

namespace kmux::cpu::spmd {
namespace {

// The variables that the notes of the module say are shared: those outside of functions, and static ones within.
std::vector<llvm::GlobalVariable*> shared_globals(const llvm::GlobalVariable& notes) {
  std::vector<llvm::GlobalVariable*> found;
  for (const llvm::Use& note : llvm::cast<llvm::ConstantArray>(notes.getInitializer())->operands()) {
    const auto* const record = llvm::cast<llvm::ConstantStruct>(note.get());
    auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(record->getOperand(0)->stripPointerCasts());
    if (variable != nullptr && !variable->isDeclaration() && is_shared_note(*record->getOperand(1))) {
      found.push_back(variable);
    }
  }
  return found;
}

// Each function that names `global` gets a variable of its own for it, which are one by their mark.
void move_into_functions(llvm::GlobalVariable& global) {
  llvm::convertUsersOfConstantsToInstructions(&global);
  llvm::Metadata* const name = llvm::MDString::get(global.getContext(), llvm::demangle(global.getName().str()));
  llvm::MDNode* const mark = llvm::MDNode::getDistinct(global.getContext(), name);
  llvm::DenseMap<llvm::Function*, llvm::AllocaInst*> own;
  for (llvm::Use& use : llvm::make_early_inc_range(global.uses())) {
    auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user == nullptr) continue;
    llvm::AllocaInst*& variable = own[user->getFunction()];
    if (variable == nullptr) {
      llvm::IRBuilder<> builder(&*user->getFunction()->getEntryBlock().begin());
      variable = builder.CreateAlloca(global.getValueType());
      variable->setAlignment(global.getAlign().valueOrOne());
      variable->setMetadata(kSharedMark, mark);
    }
    use.set(variable);
  }
  if (global.use_empty()) global.eraseFromParent();
}

}  // namespace

void place_shared_globals(llvm::Module& module) {
  llvm::GlobalVariable* const notes = module.getGlobalVariable("llvm.global.annotations");
  if (notes == nullptr) return;
  const std::vector<llvm::GlobalVariable*> variables = shared_globals(*notes);
  notes->eraseFromParent();  // they name the variables, and nobody else reads them
  for (llvm::GlobalVariable* const variable : variables) move_into_functions(*variable);
}

}  // namespace kmux::cpu::spmd
