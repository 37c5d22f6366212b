#pragma once

#include <string>
#include <string_view>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt::ptx {

/// Emits a call of the convergent function `name`, whose effects LLVM does not know.
inline llvm::CallInst* call_convergent(llvm::IRBuilder<>& builder, const std::string& name, llvm::Type* result,
                                       llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* const argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee function = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(function.getCallee())->setConvergent();
  return builder.CreateCall(function, arguments);
}

/// Emits a call of a unit of a GPU (simt/units/unit_calls.h).
///
/// `name`: without "kmux.unit.". Types must be those of the function there.
inline llvm::CallInst* call_unit(llvm::IRBuilder<>& builder, std::string_view name, llvm::Type* result,
                                 llvm::ArrayRef<llvm::Value*> arguments) {
  return call_convergent(builder, std::string(call::kUnit) + std::string(name), result, arguments);
}

/// Emits a note for checks (simt/units/note_calls.cpp), which is erased unless the kernel is checked.
///
/// `name`: without "kmux.note.".
inline void call_note(llvm::IRBuilder<>& builder, std::string_view name, llvm::ArrayRef<llvm::Value*> arguments = {}) {
  call_convergent(builder, std::string(call::kNote) + std::string(name), builder.getVoidTy(), arguments);
}

}  // namespace kmux::simt::ptx
