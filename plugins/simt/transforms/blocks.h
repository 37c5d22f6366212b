#pragma once

#include <cstdint>

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// The function that runs the blocks of a kernel, and the facts that a launch needs.
struct BlocksFunction {
  llvm::Function& function;
  std::uint64_t frame_bytes;  // per warp, in the memory of a block
  bool is_cooperative;
  std::uint32_t column_rows;  // blocks of a grid column that run consecutively; 0: the grid runs row by row
};

/// Creates from `warp` the function
///
///     void NAME.blocks(const void* arguments, const kmux_cpu_grid*, uint64_t first, uint64_t end, char* memory)
///
/// which runs the blocks of `kernel`, NAME, from `first` to before `end` one after another. `arguments` is the memory
/// layout of its arguments; `shared_bytes` is the size of its static shared variables.
BlocksFunction add_blocks(llvm::Function& kernel, llvm::Function& warp, llvm::StructType& arguments,
                          const BlockShape& shape, std::uint64_t shared_bytes);

}  // namespace kmux::simt
