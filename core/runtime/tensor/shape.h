#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/error.h"

namespace kmux {

/// Returns the row-major strides of `shape`, in elements.
inline std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) {
    // The extents' product may overflow in a zero-element tensor; its strides are never used.
    if (__builtin_mul_overflow(strides[i - 1], std::max<std::int64_t>(shape[i - 1], 1), &strides[i - 2])) break;
  }
  return strides;
}

/// Returns the text of `shape`. Example: "[2, 3]".
inline std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

/// Returns the bytes of a contiguous tensor.
///
/// Errors: invalid_argument for a negative extent, and for 2^60 bytes or more.
inline Result<std::size_t> bytes_of(std::span<const std::int64_t> shape, DType dtype) {
  const bool none = std::ranges::find(shape, 0) != shape.end();
  std::int64_t bits = total_bits(dtype);
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      return make_error(ErrorCode::kInvalidArgument, "shape " + shape_text(shape) + " has the negative extent " +
                                                         std::to_string(extent) + ". Give extents of 0 or more.");
    }
    if (!none && (__builtin_mul_overflow(bits, extent, &bits) || bits > INT64_MAX - 7)) {
      return make_error(ErrorCode::kInvalidArgument, "shape " + shape_text(shape) + " of " + to_string(dtype) +
                                                         " has too many bytes to count. Give a smaller shape.");
    }
  }
  return none ? 0 : static_cast<std::size_t>((bits + 7) / 8);
}

}  // namespace kmux
