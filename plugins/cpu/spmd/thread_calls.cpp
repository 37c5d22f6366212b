#include "spmd/thread_calls.h"

#include "llvm/IR/DebugInfoMetadata.h"
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
  const llvm::DebugLoc& place = instruction.getDebugLoc();
  if (!place) return ".";
  return " (" + place->getFilename().str() + ":" + std::to_string(place.getLine()) + ").";
}

}  // namespace kmux::cpu::spmd
