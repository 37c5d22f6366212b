#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/error.h"

namespace kmux {

/// Row-major strides of `shape`, in elements.
std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape);

/// "[2, 3]"
std::string shape_text(std::span<const std::int64_t> shape);

/// The bytes of a contiguous tensor.
///
/// Errors: invalid_argument for a negative extent, or more bytes than 2^63.
Result<std::size_t> bytes_of(std::span<const std::int64_t> shape, DType dtype);

}  // namespace kmux
