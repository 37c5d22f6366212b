#pragma once

#include <cstdint>

#include "kmux/dtype.h"

namespace kmux {

/// The bits of the value of `type` nearest to `value` (ties to even). Values beyond the range become infinity, or NaN
/// where the type has no infinity.
///
/// Precondition: `type` is float64, float32, float16, bfloat16 or a float8 kind with 1 lane.
/// Source:       IEEE 754; OCP 8-bit Floating Point Specification 1.0 (e4m3fn, e5m2); LLVM's FloatSemantics (fnuz kinds).
std::uint64_t float_to_bits(DType type, double value);

/// The value whose bits are `bits`, exactly.
double bits_to_float(DType type, std::uint64_t bits);

/// Does `float_to_bits` know `type`?
bool has_float_conversion(DType type);

}  // namespace kmux
