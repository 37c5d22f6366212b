#pragma once

#include <string>
#include <string_view>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt::ptx {

/// Emits a call of a unit of a GPU (simt/units/unit_calls.h), whose effects LLVM does not know.
///
/// `name`: without "kmux.unit.". Types must be those of the function there.
inline llvm::CallInst* call_unit(llvm::IRBuilder<>& builder, std::string_view name, llvm::Type* result,
                                 llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const llvm::Value* const argument : arguments) types.push_back(argument->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee function = module.getOrInsertFunction(std::string(call::kUnit) + std::string(name),
                                                             llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(function.getCallee())->setConvergent();
  return builder.CreateCall(function, arguments);
}

}  // namespace kmux::simt::ptx
