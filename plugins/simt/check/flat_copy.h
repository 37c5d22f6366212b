#pragma once

#include <memory>
#include <span>

#include "llvm/IR/Module.h"

namespace kmux::simt {

/// Returns a copy of `module` in which each of `kernels` is one function: callees are inlined, loops with a known number
/// of rounds are unrolled, and variables are registers. Barriers, units and notes stay in order. For analyses alone.
std::unique_ptr<llvm::Module> flat_copy(const llvm::Module& module, std::span<llvm::Function* const> kernels);

}  // namespace kmux::simt
