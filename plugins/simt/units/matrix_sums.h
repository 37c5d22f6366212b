#pragma once

#include <cstdint>

namespace kmux::simt {

/// The extents of a product: `m` and `n` are multiples of 8.
struct ProductExtents {
  unsigned m, n, k;
};

// Matrices have rows one after another.

/// Adds A B to C: for each element of C one product after another in order of k, each by one fused multiplication and
/// addition. So results are the same on each processor; one without such an instruction is slow.
void add_product(const ProductExtents& extents, const float* a, const float* b, float* c);
void add_product(const ProductExtents& extents, const double* a, const double* b, double* c);
/// Adds A B to C modulo 2^32, which is also right in two's complement.
void add_product(const ProductExtents& extents, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* c);
/// Adds to C the number of bits that words of A and B both have, or with `is_xor` of those in which they differ.
void add_bit_counts(const ProductExtents& extents, bool is_xor, const std::uint32_t* a, const std::uint32_t* b,
                    std::uint32_t* c);

}  // namespace kmux::simt
