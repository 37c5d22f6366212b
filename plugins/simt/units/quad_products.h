#pragma once

#include <span>

#include "simt/units/warp_product.h"

namespace kmux::simt {

/// Computes the four products of mma.sync.m8n8k4 of f16 for the 32 lanes of a warp, in order of their numbers. Lanes 4 q
/// to 4 q + 3 and those 16 behind them have the matrices of product q.
///
/// Threads: any.
void multiply_quads(std::span<const ProductOperands* const> lanes);

}  // namespace kmux::simt
