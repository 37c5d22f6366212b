#pragma once

#include <array>
#include <cstdint>

#include "simt/units/tensor_copy.h"
#include "simt/units/tensor_map.h"

namespace kmux::simt {

/// A row of a box: elements that are contiguous in the tensor. Offsets are bytes from the beginning of the box in
/// shared memory, before the swizzle.
struct BoxRow {
  std::uint32_t begin;
  std::uint32_t first;  // of the part within the tensor; all of the row is outside if it is equal to `last`
  std::uint32_t last;
  std::uint32_t end;
  char* elements;  // of that part, in the tensor
};

/// The geometry of one copy.
///
/// Lifetime: borrows the map and the offsets.
class TensorBox {
 public:
  /// `place` must have the rank of the map, and offsets only in its im2col mode.
  ///
  /// Errors: throws KernelFailure if the first coordinate is not a multiple of 16 bytes.
  TensorBox(const EncodedMap& map, const BoxPlace& place);

  /// Returns the bytes of all elements.
  std::uint64_t bytes() const { return rows_ * row_bytes_; }
  /// Returns the bytes of shared memory from the first row to the last.
  std::uint64_t extent() const { return rows_ * pitch_; }

  /// Calls `visit` with each BoxRow, in the order of shared memory.
  template <class Visit>
  void for_each_row(Visit visit) const {
    Position index = {};
    Position at = first_;
    for (std::uint32_t begin = 0; begin < extent(); begin += pitch_) {
      visit(row_at(at, begin));
      map_.is_im2col ? next_pixel(at) : next_row(at, index);
    }
  }

 private:
  using Position = std::array<std::int64_t, EncodedMap::kMaxRank>;  // innermost first

  BoxRow row_at(const Position& at, std::uint32_t begin) const;
  void next_row(Position& at, Position& index) const;
  void next_pixel(Position& at) const;

  const EncodedMap& map_;
  const std::uint16_t* offsets_;
  Position first_ = {};
  Position sides_ = {1, 1, 1, 1, 1};  // rows in each dimension
  std::uint64_t rows_ = 1;
  std::uint32_t row_bytes_;
  std::uint32_t pitch_;  // of rows in shared memory
  std::uint32_t inside_begin_;  // the bytes of a row whose innermost index is within the tensor
  std::uint32_t inside_end_;
  std::int64_t skipped_;  // bytes from the first element of a line of the tensor to the first of a row
};

}  // namespace kmux::simt
