#pragma once

#include "kmux/error.h"

#include "llvm/IR/Module.h"
#include "spmd/block_extents.h"

namespace kmux::cpu::spmd {

/// Replaces each kernel of `kernels`, written for one thread of a GPU, by a function of the same name that runs a grid of blocks
/// on this processor (blocks.h).
///
/// Errors: unsupported for what cannot run here, named; the module is of no use then.
Status lower_kernels(llvm::Module& module, const BlockExtents& kernels);

}  // namespace kmux::cpu::spmd
