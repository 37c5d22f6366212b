#pragma once

// Device code includes this header, too (frontend/device/fragments.h).
namespace kmux::simt {

/// A place in a matrix.
struct MatrixPlace {
  unsigned row, column;

  bool operator==(const MatrixPlace&) const = default;
};

// The fragments of mma and wgmma: the place of element `i` of a lane. Eight groups of four lanes have a row each (of A, C
// and D) or a column each (of B). `per`: elements of a register.

constexpr MatrixPlace place_in_a(unsigned lane, unsigned per, unsigned i) {
  const unsigned number = i / per;
  return {lane / 4 + 8 * (number % 2), per * (lane % 4) + i % per + 4 * per * (number / 2)};
}
constexpr MatrixPlace place_in_b(unsigned lane, unsigned per, unsigned i) {
  return {per * (lane % 4) + i % per + 4 * per * (i / per), lane / 4};
}
constexpr MatrixPlace place_in_sums(unsigned lane, unsigned i) {
  return {lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

// Operands of wmma consist of tiles of mma: A of 16 rows each, B and narrow sums of 8 columns each. `tile`: elements of a
// lane in a tile.

constexpr MatrixPlace place_in_rows(unsigned lane, unsigned per, unsigned tile, unsigned i) {
  const MatrixPlace at = place_in_a(lane, per, i % tile);
  return {at.row + 16 * (i / tile), at.column};
}
constexpr MatrixPlace place_in_columns(unsigned lane, unsigned per, unsigned tile, unsigned i) {
  const MatrixPlace at = place_in_b(lane, per, i % tile);
  return {at.row, at.column + 8 * (i / tile)};
}
/// Of sums with `rows` rows: those with more than 16 have 8 columns.
constexpr MatrixPlace place_in_all_sums(unsigned lane, unsigned rows, unsigned i) {
  if (rows <= 16) return place_in_sums(lane, i);
  const MatrixPlace at = place_in_sums(lane, i % 4);
  return {at.row + 16 * (i / 4), at.column};
}

}  // namespace kmux::simt
