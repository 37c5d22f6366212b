#include "simt/transforms/notes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "simt/analysis/thread_calls.h"

namespace kmux::simt {

void erase_notes(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.getName().starts_with(llvm::StringRef(call::kNote))) continue;
    for (llvm::User* const user : llvm::make_early_inc_range(function.users())) {
      if (auto* const note = llvm::dyn_cast<llvm::CallInst>(user)) note->eraseFromParent();
    }
    if (function.use_empty()) function.eraseFromParent();
  }
}

}  // namespace kmux::simt
