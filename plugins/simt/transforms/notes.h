#pragma once

#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Erases the notes for checks (call::kNote) of code that is not checked.
void erase_notes(llvm::Module& module);

}  // namespace kmux::simt
