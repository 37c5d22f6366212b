#include "check/sites.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace kmux::cpu::spmd {

llvm::Constant* own_constant(llvm::Module& module, llvm::Constant* content) {
  return new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                  content, "kmux.constant");
}

llvm::Constant* text_constant(llvm::Module& module, llvm::StringRef text) {
  const std::string name = ("kmux.text." + text).str();
  if (llvm::GlobalVariable* const known = module.getGlobalVariable(name, /*AllowInternal=*/true)) return known;
  llvm::Constant* const content = llvm::ConstantDataArray::getString(module.getContext(), text);
  return new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
                                  content, name);
}

llvm::Constant* Sites::of(const llvm::Instruction& instruction) {
  llvm::LLVMContext& context = module_.getContext();
  const llvm::DILocation* place = instruction.getDebugLoc().get();
  while (place != nullptr && place->getFilename().contains(own_folder_) && place->getInlinedAt() != nullptr) {
    place = place->getInlinedAt();
  }
  if (place == nullptr || place->getLine() == 0)
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  llvm::Constant* const line = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), place->getLine());
  return own_constant(module_, llvm::ConstantStruct::getAnon({text_constant(module_, place->getFilename()), line}));
}

}  // namespace kmux::cpu::spmd
