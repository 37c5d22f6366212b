#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "simt/units/matrix_product.h"

namespace kmux::simt {

/// Returns the number that the bits of an f16 stand for. NaN stays NaN.
constexpr float from_f16(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  const std::uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000U : 0U;  // an infinity or NaN
  // The exponent of f32 has another bias. A product changes it, and makes subnormal numbers normal.
  const std::uint32_t biased = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  return std::bit_cast<float>(biased | special | static_cast<std::uint32_t>(bits & 0x8000) << 16);
}

constexpr float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Returns the number without the 13 bits that units ignore.
constexpr float from_tf32(std::uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000); }

/// Returns the number that the bits of an e4m3 stand for, which has no infinities.
constexpr float from_e4m3(std::uint8_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7f) << 20;
  const std::uint32_t special = (bits & 0x7f) == 0x7f ? 0x7fc00000U : 0U;
  const std::uint32_t biased = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p120F);
  return std::bit_cast<float>(biased | special | static_cast<std::uint32_t>(bits & 0x80) << 24);
}

/// Returns the number that the bits of an e5m2 stand for, which are the upper byte of an f16.
constexpr float from_e5m2(std::uint8_t bits) { return from_f16(static_cast<std::uint16_t>(bits << 8)); }

/// Returns the bits of `x` rounded to f16, to nearest even. NaN becomes 0x7fff, as the units have it.
constexpr std::uint16_t to_f16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // 65520 is halfway to 2^16
  if (magnitude < 0x38800000) {  // subnormal: a sum with 0.5 has units of 2^-24, as they have
    const auto sum = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F);
    return static_cast<std::uint16_t>(sign | (sum - 0x3f000000));
  }
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | (rounded - 0x38000000) >> 13);
}

/// Unpacks the elements of `type` in `bytes` bytes at `from`, the lowest bits first. Floats and integers of at most 32
/// bits fit exactly.
///
/// `to`: double for f64, float for other types with a fraction, else std::uint32_t, in two's complement.
void unpack(MatrixType type, const void* from, std::size_t bytes, float* to);
void unpack(MatrixType type, const void* from, std::size_t bytes, double* to);
void unpack(MatrixType type, const void* from, std::size_t bytes, std::uint32_t* to);

}  // namespace kmux::simt
