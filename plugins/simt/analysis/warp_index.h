#pragma once

#include <array>

#include "llvm/IR/IRBuilder.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Returns the position of warp number `warp` in a block with `extents`: its number in its row of x, and the row's y
/// and z.
std::array<llvm::Value*, 3> warp_index(llvm::IRBuilder<>& builder, const BlockShape& shape,
                                       const std::array<llvm::Value*, 3>& extents, llvm::Value* warp);

}  // namespace kmux::simt
