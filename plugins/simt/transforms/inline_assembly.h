#pragma once

#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Replaces the inline PTX of `module` by LLVM IR. Other inline assembly stays, and its calls get the attribute
/// kAssemblyRefusal with the reason. Empty text only keeps a compiler from moving code, and from seeing its operands.
void replace_assembly(llvm::Module& module);

}  // namespace kmux::simt
