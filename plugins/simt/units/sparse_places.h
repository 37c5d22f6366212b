// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "simt/units/matrix_places.h"
#include "simt/units/matrix_product.h"

namespace kmux::simt {

/// Returns the place in A of element `i` of those that are there, two of four neighbours (of tf32, one of two), row by row.
///
/// `metadata`: of the lanes of a warp; bits of four tell the places of each group.
/// Source: PTX ISA, "Sparse matrix storage" of mma.sp.
MatrixPlace place_of_packed(const MatrixProduct& product, std::span<const std::uint32_t> metadata, unsigned i);

}  // namespace kmux::simt
