// SPDX-License-Identifier: Apache-2.0
#include "simt/units/sparse_places.h"

namespace kmux::simt {
namespace {

constexpr unsigned kGroupsOfHalf = 4;  // in 16 bits of metadata

// Returns the four bits of a group of A. Lane 4 r + j has some of rows r and r + 8.
unsigned bits_of(const MatrixProduct& product, std::span<const std::uint32_t> metadata, unsigned row, unsigned group) {
  const unsigned quad = row % 8 * 4, is_lower = row / 8;
  if (element_bits(product.a) == 8) {  // a lane has eight groups of one row
    return metadata[quad + is_lower + group / 8 * 2] >> group % 8 * 4 & 15;
  }
  const unsigned width = element_bits(product.a) == 32 ? 2 : 4;
  const bool is_shared = product.k / width > kGroupsOfHalf;  // by two lanes
  const unsigned lane = is_shared ? 2U * product.selector + group / kGroupsOfHalf : product.selector;
  return metadata[quad + lane] >> (group % kGroupsOfHalf + kGroupsOfHalf * is_lower) * 4 & 15;
}

}  // namespace

MatrixPlace place_of_packed(const MatrixProduct& product, std::span<const std::uint32_t> metadata, unsigned i) {
  const unsigned columns = product.k / 2U, row = i / columns, column = i % columns;
  if (element_bits(product.a) == 32) {  // the places are those of halves of elements
    return {row, column * 2 + (bits_of(product, metadata, row, column) >> 1 & 1)};
  }
  const unsigned group = column / 2, bits = bits_of(product, metadata, row, group);
  return {row, group * 4 + (column % 2 == 0 ? bits & 3 : bits >> 2)};
}

}  // namespace kmux::simt
