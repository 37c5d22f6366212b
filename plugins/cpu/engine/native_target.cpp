#include "engine/native_target.h"

#include "llvm/Support/TargetSelect.h"

namespace kmux::cpu {

void initialize_llvm() {
  [[maybe_unused]] static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
}

}  // namespace kmux::cpu
