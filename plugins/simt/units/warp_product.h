#pragma once

#include <cstdint>
#include <span>

#include "simt/units/matrix_descriptors.h"
#include "simt/units/matrix_product.h"

namespace kmux::simt {

/// The operands of a product in one lane.
struct ProductOperands {
  const MatrixProduct* product;
  void* sums;  // registers: C before the product, D after it
  const void* a;  // registers; null: `a_descriptor` has the matrix
  const void* b;  // registers; null: `b_descriptor` has the matrix
  std::uint64_t a_descriptor = 0;
  std::uint64_t b_descriptor = 0;
  bool is_added = true;  // false: C counts as 0
  std::uint32_t metadata = 0;  // of sparse products
};

/// Computes a product for the 32 lanes of a warp, in order of their numbers. `warp`: its number in the group of four, for
/// wgmma. Operands that lanes must agree on are those of the first.
///
/// Errors: throws KernelFailure if a descriptor leaves `window`.
/// Threads: any.
void multiply_warp(std::span<const ProductOperands* const> lanes, unsigned warp, const SharedWindow& window);

}  // namespace kmux::simt
