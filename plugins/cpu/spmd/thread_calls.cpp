#include "spmd/thread_calls.h"

#include <algorithm>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace kmux::cpu::spmd {

std::string_view called(const llvm::Value* value) {
  const auto* const call = llvm::dyn_cast_or_null<llvm::CallInst>(value);
  if (call == nullptr || call->getCalledFunction() == nullptr) return "";
  llvm::StringRef name = call->getCalledFunction()->getName();
  if (!name.starts_with("kmux.")) return "";
  name.consume_back(call::kOfWideWarp);
  return {name.data(), name.size()};
}

bool has_call(const llvm::Function& function, std::string_view name) {
  return std::ranges::any_of(llvm::instructions(function), [&](const auto& one) { return calls(&one, name); });
}

void replace_calls(llvm::Function& function, std::string_view name, llvm::Value* with) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!calls(&instruction, name) || &instruction == with) continue;
    instruction.replaceAllUsesWith(with);
    instruction.eraseFromParent();
  }
}

void replace_shared(llvm::Function& function, llvm::Value* memory) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!calls(&instruction, call::kShared)) continue;
    llvm::IRBuilder<> here(&instruction);
    llvm::Value* const offset = llvm::cast<llvm::CallInst>(instruction).getArgOperand(0);
    instruction.replaceAllUsesWith(here.CreateInBoundsGEP(here.getInt8Ty(), memory, offset));
    instruction.eraseFromParent();
  }
}

llvm::CallInst* make_call(llvm::IRBuilder<>& builder, std::string_view name, llvm::Type* result,
                          llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee function = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  if (auto* const declared = llvm::dyn_cast<llvm::Function>(function.getCallee()); !result->isVoidTy()) {
    declared->setDoesNotAccessMemory();
    declared->setDoesNotThrow();
    declared->setWillReturn();
  }
  return builder.CreateCall(function, arguments);
}

std::string location_of(const llvm::Instruction& instruction) {
  const std::string place = place_of(instruction.getDebugLoc().get());
  return place.empty() ? "." : " (" + place + ").";
}

}  // namespace kmux::cpu::spmd
