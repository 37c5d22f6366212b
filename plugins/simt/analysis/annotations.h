#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Returns what `text`, of an annotation in the source, says; empty if it is not such a text.
inline llvm::StringRef annotation_text(const llvm::Constant& text) {
  const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(text.stripPointerCasts());
  const auto* const data =
      variable == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer());
  return data != nullptr && data->isCString() ? data->getAsCString() : llvm::StringRef();
}

/// Visits the annotations of variables and functions at namespace scope: each a record of object, text, file, line and
/// arguments.
template <class Visit>
void for_each_annotation(const llvm::Module& module, const Visit& visit) {
  const llvm::GlobalVariable* const notes = module.getGlobalVariable("llvm.global.annotations");
  if (notes == nullptr) return;
  for (const llvm::Use& note : llvm::cast<llvm::ConstantArray>(notes->getInitializer())->operands())
    visit(*llvm::cast<llvm::ConstantStruct>(note.get()));
}

}  // namespace kmux::simt
