#pragma once

#include <cstdint>

#include "llvm/IR/Function.h"
#include "spmd/block_shape.h"

namespace kmux::cpu::spmd {

/// Makes of `warp` the two functions by which a launcher starts `kernel`, whose name the second one takes:
///
///     void NAME.blocks(const void* arguments, const kmux_cpu_grid*, uint64_t first, uint64_t end, char* memory)
///     int NAME(const kmux_cpu_grid*, PARAMETERS...)
///
/// The first runs the blocks from `first` to before `end` one after another, the second hands it to `kmux_cpu_run`
/// (runtime/launch.h). `shared_bytes` are those of the kernel's own shared variables.
void add_entries(llvm::Function& kernel, llvm::Function& warp, const BlockShape& shape, std::uint64_t shared_bytes);

}  // namespace kmux::cpu::spmd
