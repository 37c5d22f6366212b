#pragma once

#include <optional>
#include <string>

#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/tensor.h"

namespace kmux {

/// Reads a .npy file (format 1 to 3, C or Fortran order, little-endian) into host memory.
///
/// With `reinterpret_as`, unsigned integers or void bytes of the same size are read as that type; bfloat16 and float8
/// have no .npy type.
/// Errors: invalid_argument that names the file and the problem: not a .npy file, truncated, big-endian, objects.
/// Source: NumPy's format specification, NEP 1.
KMUX_API Result<Tensor> load_npy(const std::string& path, std::optional<DType> reinterpret_as = {});

/// Writes a tensor as .npy through a temporary file and a rename. Types without a .npy type are written as unsigned
/// integers of the same size.
///
/// Errors: invalid_argument for a null tensor; unsupported for elements that are not whole bytes.
KMUX_API Status save_npy(const std::string& path, const Tensor& tensor);

}  // namespace kmux
