#include "simt/analysis/warp_index.h"

namespace kmux::simt {

std::array<llvm::Value*, 3> warp_index(llvm::IRBuilder<>& builder, const BlockShape& shape,
                                       const std::array<llvm::Value*, 3>& extents, llvm::Value* warp) {
  if (shape.order != BlockShape::Order::kRows) return {warp, builder.getInt32(0), builder.getInt32(0)};
  llvm::Value* const in_row = builder.CreateUDiv(extents[0], builder.getInt32(shape.lanes));
  llvm::Value* const row = builder.CreateUDiv(warp, in_row);
  return {builder.CreateURem(warp, in_row), builder.CreateURem(row, extents[1]), builder.CreateUDiv(row, extents[1])};
}

}  // namespace kmux::simt
