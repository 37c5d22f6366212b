#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Returns true if `one` has no side effects but plain stores to arrays that are parameters.
bool is_harmless(const llvm::Instruction& one);

/// Returns true if the blocks of `warp` in one row of the grid may and should run row by row. The first rows of all
/// blocks run first, then the second ones, so that memory is accessed in address order. Threads must not wait for each
/// other, and the addresses of a block's row must follow those of the previous block's row.
bool runs_row_by_row(llvm::Function& warp, const BlockShape& shape);

}  // namespace kmux::simt
