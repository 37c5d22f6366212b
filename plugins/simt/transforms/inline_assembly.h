#pragma once

#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Replaces the inline PTX of `module` that has an obvious meaning. That is reading the registers %laneid and
/// %lanemask_*, for which CUDA C++ has no function, and empty text. Empty text only keeps a compiler from moving code,
/// and from knowing its operands.
void replace_assembly(llvm::Module& module);

}  // namespace kmux::simt
