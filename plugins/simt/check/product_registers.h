#pragma once

#include <span>

#include "llvm/IR/Function.h"

namespace kmux::simt {

/// Inserts call::kRegisters at the start of each of `kernels` for each wgmma whose registers its code misuses on some path:
/// results that are used before `wgmma.wait_group`, and registers that are written without a `wgmma.fence` behind.
/// `own_folder`: lines of files in it are reported as the lines of the user's code into which they are inlined.
///
/// Arrays that stay in memory when loops are unrolled are not followed.
void check_product_registers(std::span<llvm::Function* const> kernels, llvm::StringRef own_folder);

}  // namespace kmux::simt
