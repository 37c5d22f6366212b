#include "simt/units/quad_products.h"

#include <cstring>

#include "simt/units/matrix_places.h"
#include "simt/units/matrix_sums.h"
#include "simt/units/matrix_values.h"

namespace kmux::simt {
namespace {

constexpr unsigned kQuadSide = 8, kQuadDepth = 4;
constexpr unsigned kQuadInputs = 4, kQuadSums = 8;  // elements of a lane

/// The matrices of one product, rows one after another.
struct QuadMatrices {
  float a[kQuadSide * kQuadDepth], b[kQuadDepth * kQuadSide], sums[kQuadSide * kQuadSide];
};

constexpr unsigned quad_of(unsigned lane) { return lane % 16 / 4; }
// Returns the first row or column of a lane: those from 16 on have the second half of a matrix.
constexpr unsigned half_of(unsigned lane) { return lane / 16 * 4; }

// Returns the place of element `i` of A, whose rows are those of the transposed B.
constexpr MatrixPlace place_in_input(unsigned lane, unsigned i, bool is_mn_major) {
  if (is_mn_major) return {half_of(lane) + i, lane % 4};
  return {half_of(lane) + lane % 4, i};
}

constexpr MatrixPlace place_in_quad_sums(MatrixType type, unsigned lane, unsigned i) {
  if (type == MatrixType::kF16) return {half_of(lane) + lane % 4, i};
  return {half_of(lane) + lane % 2 + i / 2 % 2 * 2, i / 4 * 4 + lane / 2 % 2 * 2 + i % 2};
}

void read_lane(const ProductOperands& operands, unsigned lane, QuadMatrices& quad) {
  const MatrixProduct& product = *operands.product;
  constexpr std::size_t kBytes = kQuadInputs * sizeof(std::uint16_t);
  float a[kQuadInputs], b[kQuadInputs], c[kQuadSums];
  unpack(MatrixType::kF16, operands.a, kBytes, a);
  unpack(MatrixType::kF16, operands.b, kBytes, b);
  unpack(product.c, operands.sums, kQuadSums * element_bits(product.c) / 8, c);
  for (unsigned i = 0; i < kQuadInputs; ++i) {
    const MatrixPlace of_a = place_in_input(lane, i, product.is_a_mn_major);
    const MatrixPlace of_b = place_in_input(lane, i, product.is_b_mn_major);
    quad.a[of_a.row * kQuadDepth + of_a.column] = a[i];
    quad.b[of_b.column * kQuadSide + of_b.row] = b[i];
  }
  for (unsigned i = 0; i < kQuadSums; ++i) {
    const MatrixPlace at = place_in_quad_sums(product.c, lane, i);
    quad.sums[at.row * kQuadSide + at.column] = c[i];
  }
}

void write_lane(const ProductOperands& operands, unsigned lane, const QuadMatrices& quad) {
  const MatrixType type = operands.product->d;
  for (unsigned i = 0; i < kQuadSums; ++i) {
    const MatrixPlace at = place_in_quad_sums(type, lane, i);
    const float sum = quad.sums[at.row * kQuadSide + at.column];
    if (type == MatrixType::kF16) {
      const std::uint16_t rounded = to_f16(sum);
      std::memcpy(static_cast<char*>(operands.sums) + i * sizeof rounded, &rounded, sizeof rounded);
    } else {
      std::memcpy(static_cast<char*>(operands.sums) + i * sizeof sum, &sum, sizeof sum);
    }
  }
}

}  // namespace

void multiply_quads(std::span<const ProductOperands* const> lanes) {
  QuadMatrices quads[kProductsOfQuads];
  for (unsigned lane = 0; lane < lanes.size(); ++lane) read_lane(*lanes[lane], lane, quads[quad_of(lane)]);
  for (QuadMatrices& quad : quads)
    add_product(ProductExtents{kQuadSide, kQuadSide, kQuadDepth}, quad.a, quad.b, quad.sums);
  for (unsigned lane = 0; lane < lanes.size(); ++lane) write_lane(*lanes[lane], lane, quads[quad_of(lane)]);
}

}  // namespace kmux::simt
