#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/error.h"

namespace kmux {

/// What the header of a .npy file says.
struct NpyHeader {
  DType dtype;
  bool opaque = false;         // void bytes ("|V2"): only their size is known
  bool fortran_order = false;  // first dimension innermost
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  // bytes before the elements
};

/// Reads the header at the start of `bytes`.
///
/// Errors: invalid_argument, without the file's name: not a .npy file, unknown version, malformed, an element type that
///         kmux does not have (big-endian, complex, text, structured, objects).
/// Source: NumPy's format specification, NEP 1.
Result<NpyHeader> parse_npy_header(std::string_view bytes);

/// A header of version 1.0, padded so that the elements begin at a multiple of 64.
std::string make_npy_header(DType dtype, const std::vector<std::int64_t>& shape);

}  // namespace kmux
