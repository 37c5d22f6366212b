#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kmux/dlpack.h"

namespace kmux {

// The bits of floating-point values, see ir/float_convert.h. Also printed into libraries that run without kmux: must
// use C++17 and libc only.

/// The bit layout of a floating-point type.
struct FloatFormat {
  /// The meaning of the code points above the largest finite value.
  enum class Specials : uint8_t {
    kIeee,  // infinities and NaNs
    kOneNan,  // all ones is NaN, no infinity (e4m3fn)
    kNegativeZero  // the pattern of -0 is the only NaN, no infinity (fnuz)
  };
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  static uint64_t ones(int count) { return (uint64_t{1} << count) - 1; }
  int width() const { return 1 + exponent_bits + mantissa_bits; }
  uint64_t sign_bit() const { return uint64_t{1} << (width() - 1); }

  uint64_t nan_bits() const {
    if (specials == Specials::kNegativeZero) return sign_bit();
    if (specials == Specials::kOneNan) return ones(width() - 1);
    return (ones(exponent_bits) << mantissa_bits) | (uint64_t{1} << (mantissa_bits - 1));
  }

  uint64_t overflow_bits(uint64_t sign) const {
    if (specials != Specials::kIeee) return nan_bits() | (specials == Specials::kOneNan ? sign : 0);
    return sign | (ones(exponent_bits) << mantissa_bits);
  }

  /// Returns the largest bit pattern, without the sign, of a finite value.
  uint64_t largest_finite() const {
    if (specials == Specials::kNegativeZero) return ones(width() - 1);
    if (specials == Specials::kOneNan) return ones(width() - 1) - 1;
    return (ones(exponent_bits) << mantissa_bits) - 1;
  }
};

/// Returns the format of `type`; one without exponent bits if `type` has no format.
inline FloatFormat float_format(DLDataType type) {
  using Specials = FloatFormat::Specials;
  switch (type.code) {
    case kDLFloat:
      if (type.bits == 16) return {5, 10, 15, Specials::kIeee};
      return type.bits == 32 ? FloatFormat{8, 23, 127, Specials::kIeee} : FloatFormat{11, 52, 1023, Specials::kIeee};
    case kDLBfloat:
      return {8, 7, 127, Specials::kIeee};
    case kDLFloat8_e4m3:
      return {4, 3, 7, Specials::kIeee};
    case kDLFloat8_e4m3fn:
      return {4, 3, 7, Specials::kOneNan};
    case kDLFloat8_e4m3fnuz:
      return {4, 3, 8, Specials::kNegativeZero};
    case kDLFloat8_e5m2:
      return {5, 2, 15, Specials::kIeee};
    case kDLFloat8_e5m2fnuz:
      return {5, 2, 16, Specials::kNegativeZero};
    default:
      return {0, 0, 0, Specials::kIeee};
  }
}

inline bool has_float_format(DLDataType type) { return type.lanes == 1 && float_format(type).exponent_bits != 0; }

inline double float_of_bits(DLDataType type, uint64_t bits) {
  const FloatFormat format = float_format(type);
  const bool negative = (bits & format.sign_bit()) != 0;
  const uint64_t magnitude = bits & FloatFormat::ones(format.width() - 1);
  if (format.specials == FloatFormat::Specials::kNegativeZero && bits == format.sign_bit()) return __builtin_nan("");
  if (magnitude > format.largest_finite()) {
    const bool infinite =
        format.specials == FloatFormat::Specials::kIeee && (magnitude & FloatFormat::ones(format.mantissa_bits)) == 0;
    const double value = infinite ? __builtin_inf() : __builtin_nan("");
    return negative ? -value : value;
  }
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const double mantissa = static_cast<double>(magnitude & FloatFormat::ones(format.mantissa_bits));
  const double scaled = exponent == 0 ? mantissa : mantissa + ldexp(1.0, format.mantissa_bits);
  const double value = ldexp(scaled, (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits);
  return negative ? -value : value;
}

inline uint64_t bits_of_float(DLDataType type, double value) {
  if (type.code == kDLFloat && type.bits == 64) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  const FloatFormat format = float_format(type);
  if (__builtin_isnan(value)) return format.nan_bits();
  const bool has_sign = __builtin_signbit(value) != 0;
  const uint64_t sign = has_sign ? format.sign_bit() : 0;
  if (__builtin_isinf(value)) return format.overflow_bits(sign);
  if (value == 0) return format.specials == FloatFormat::Specials::kNegativeZero ? 0 : sign;
  // Count the value in units of its last place; nearbyint rounds ties to even. Subnormals share the smallest exponent.
  int exponent = 0;
  frexp(value, &exponent);
  const int smallest = 1 - format.bias;
  const int unit = (exponent - 1 < smallest ? smallest : exponent - 1) - format.mantissa_bits;
  const uint64_t count = static_cast<uint64_t>(nearbyint(ldexp(fabs(value), -unit)));
  // Rounding up to the next power of two carries into the exponent; the sum below does that implicitly.
  const uint64_t biased = static_cast<uint64_t>(unit + format.mantissa_bits + format.bias - 1);
  const uint64_t magnitude = (biased << format.mantissa_bits) + count;
  if (magnitude > format.largest_finite()) return format.overflow_bits(sign);
  if (magnitude == 0 && format.specials == FloatFormat::Specials::kNegativeZero) return 0;
  return sign | magnitude;
}

}  // namespace kmux
