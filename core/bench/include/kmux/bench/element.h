#pragma once

#include <cstdint>
#include <string>

#include "kmux/dtype.h"
#include "kmux/tensor.h"

namespace kmux::bench {

/// Element `index` (row-major) of a contiguous host tensor as a number. 64-bit integers beyond 2^53 are rounded.
double element(const Tensor& tensor, std::int64_t index);

/// Sets element `index` of a contiguous host tensor to the nearest value of its dtype.
void set_element(const Tensor& tensor, std::int64_t index, double value);

/// "[2, 3]" for the row-major `index` of a tensor.
std::string index_text(const Tensor& tensor, std::int64_t index);

}  // namespace kmux::bench
