#pragma once

#include <string>
#include <vector>

#include "kmux/error.h"

#include "check/fiber_launch.h"
#include "llvm/IR/Module.h"
#include "spmd/block_shape.h"

namespace llvm {
class TargetMachine;
}

namespace kmux::cpu::spmd {

/// Replaces each kernel of `kernels`, written for one thread of a GPU, by a function of the same name that runs a grid of blocks
/// on this processor (blocks.h). Those that cannot be widened run a fiber a thread instead; with `check`, all do
/// (check/fiber_kernels.h). Returns why for each that cannot be widened.
///
/// Errors: unsupported for what cannot run here, named; the module is of no use then.
Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check);

/// Has AVX-512 do what kernels call "kmux.scale." for (thread_calls.h), in vectors as wide as `machine` prefers.
void place_scales(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace kmux::cpu::spmd
