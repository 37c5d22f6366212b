#pragma once

#include "kmux/error.h"

#include "simt/ptx/statement.h"
#include "simt/units/matrix_product.h"

namespace kmux::simt::ptx {

/// Returns the product of an mma.sync.aligned, dense or sparse.
///
/// Errors: unsupported for other forms, with the part of the mnemonic that is to blame.
Result<MatrixProduct> mma_form(const Statement& statement);

/// Returns the product of one warp of a wgmma.mma_async.sync.aligned, before its immediates are applied.
///
/// Errors: as mma_form().
Result<MatrixProduct> wgmma_form(const Statement& statement);

}  // namespace kmux::simt::ptx
