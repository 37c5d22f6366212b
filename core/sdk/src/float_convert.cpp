#include "kmux/float_convert.h"

#include <bit>
#include <cmath>
#include <limits>

namespace kmux {
namespace {

/// What the code points above the largest finite exponent mean.
enum class Specials : std::uint8_t {
  kIeee,        // infinities and NaNs
  kOneNan,      // all ones is NaN, no infinity (e4m3fn)
  kNegativeZero // the pattern of -0 is the only NaN, no infinity (fnuz)
};

struct Format {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Specials specials = Specials::kIeee;
};

Format format_of(DType type) {
  switch (type.code) {
    case kDLFloat:
      return type.bits == 16 ? Format{5, 10, 15} : type.bits == 32 ? Format{8, 23, 127} : Format{11, 52, 1023};
    case kDLBfloat:
      return {8, 7, 127};
    case kDLFloat8_e4m3:
      return {4, 3, 7};
    case kDLFloat8_e4m3fn:
      return {4, 3, 7, Specials::kOneNan};
    case kDLFloat8_e4m3fnuz:
      return {4, 3, 8, Specials::kNegativeZero};
    case kDLFloat8_e5m2:
      return {5, 2, 15};
    case kDLFloat8_e5m2fnuz:
      return {5, 2, 16, Specials::kNegativeZero};
    default:
      return {};
  }
}

std::uint64_t ones(int count) { return (std::uint64_t{1} << count) - 1; }
int width(const Format& format) { return 1 + format.exponent_bits + format.mantissa_bits; }
std::uint64_t sign_bit(const Format& format) { return std::uint64_t{1} << (width(format) - 1); }

std::uint64_t nan_bits(const Format& format) {
  if (format.specials == Specials::kNegativeZero) return sign_bit(format);
  if (format.specials == Specials::kOneNan) return ones(width(format) - 1);
  return (ones(format.exponent_bits) << format.mantissa_bits) | (std::uint64_t{1} << (format.mantissa_bits - 1));
}

std::uint64_t overflow_bits(const Format& format, std::uint64_t sign) {
  if (format.specials != Specials::kIeee) return nan_bits(format) | (format.specials == Specials::kOneNan ? sign : 0);
  return sign | (ones(format.exponent_bits) << format.mantissa_bits);
}

/// The largest pattern, sign aside, that is a finite value.
std::uint64_t largest_finite(const Format& format) {
  if (format.specials == Specials::kNegativeZero) return ones(width(format) - 1);
  if (format.specials == Specials::kOneNan) return ones(width(format) - 1) - 1;
  return (ones(format.exponent_bits) << format.mantissa_bits) - 1;
}

}  // namespace

bool has_float_conversion(DType type) { return type.lanes == 1 && format_of(type).exponent_bits != 0; }

double bits_to_float(DType type, std::uint64_t bits) {
  const Format format = format_of(type);
  const bool negative = (bits & sign_bit(format)) != 0;
  const std::uint64_t magnitude = bits & ones(width(format) - 1);
  if (format.specials == Specials::kNegativeZero && bits == sign_bit(format)) return std::nan("");
  if (magnitude > largest_finite(format)) {
    const bool infinite = format.specials == Specials::kIeee && (magnitude & ones(format.mantissa_bits)) == 0;
    const double value = infinite ? std::numeric_limits<double>::infinity() : std::nan("");
    return negative ? -value : value;
  }
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const auto mantissa = static_cast<double>(magnitude & ones(format.mantissa_bits));
  const double scaled = exponent == 0 ? mantissa : mantissa + std::ldexp(1.0, format.mantissa_bits);
  const double value = std::ldexp(scaled, (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits);
  return negative ? -value : value;
}

std::uint64_t float_to_bits(DType type, double value) {
  if (type == dtype::kFloat64) return std::bit_cast<std::uint64_t>(value);
  const Format format = format_of(type);
  if (std::isnan(value)) return nan_bits(format);
  const std::uint64_t sign = std::signbit(value) ? sign_bit(format) : 0;
  if (std::isinf(value)) return overflow_bits(format, sign);
  if (value == 0) return format.specials == Specials::kNegativeZero ? 0 : sign;
  // Count the value in units of its last place; nearbyint rounds ties to even. Subnormals share the smallest exponent.
  int exponent = 0;
  std::frexp(value, &exponent);
  const int smallest = 1 - format.bias;
  const int unit = (exponent - 1 < smallest ? smallest : exponent - 1) - format.mantissa_bits;
  const auto count = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  // Rounding up to the next power of two carries into the exponent, as the sum below does by itself.
  const auto biased = static_cast<std::uint64_t>(unit + format.mantissa_bits + format.bias - 1);
  const std::uint64_t magnitude = (biased << format.mantissa_bits) + count;
  if (magnitude > largest_finite(format)) return overflow_bits(format, sign);
  if (magnitude == 0 && format.specials == Specials::kNegativeZero) return 0;
  return sign | magnitude;
}

}  // namespace kmux
