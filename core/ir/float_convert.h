#pragma once

#include <cstdint>

#include "kmux/dtype.h"

#include "ir/printed/float_bits.h"

namespace kmux {

/// Returns the bits of the value of `type` nearest to `value` (ties to even). Values beyond the range become infinity,
/// or NaN if the type has no infinity.
///
/// Precondition: `type` is float64, float32, float16, bfloat16 or a float8 kind with 1 lane.
/// Source:       IEEE 754; OCP 8-bit Floating Point Specification 1.0 (e4m3fn, e5m2); LLVM's FloatSemantics (fnuz kinds).
inline std::uint64_t float_to_bits(DType type, double value) { return bits_of_float(to_dldatatype(type), value); }

/// Returns the exact value with the bits `bits`.
///
/// Precondition: as float_to_bits.
inline double bits_to_float(DType type, std::uint64_t bits) { return float_of_bits(to_dldatatype(type), bits); }

/// Returns true if `float_to_bits` supports `type`.
inline bool has_float_conversion(DType type) { return has_float_format(to_dldatatype(type)); }

}  // namespace kmux
