#pragma once

#include <span>
#include <vector>

#include "llvm/IR/Function.h"

namespace kmux::cpu::spmd {

/// The functions with a body that `kernels` and what they call refer to, those included.
std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels);

}  // namespace kmux::cpu::spmd
