#include "scalar_convert.h"

#include <charconv>
#include <limits>

#include "ir/float_convert.h"

namespace kmux {
namespace {

using Bits = std::optional<std::uint64_t>;

std::uint64_t low_bits(std::uint64_t value, int count) {
  return count >= 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}

// An integer of up to 65 bits: `bits` is the two's complement of a negative one.
struct Integer {
  std::uint64_t bits;
  bool negative;
};

std::optional<Integer> as_integer(const Arg& arg) {
  switch (arg.kind()) {
    case Arg::Kind::kBool:
    case Arg::Kind::kInteger:
      return Integer{static_cast<std::uint64_t>(arg.integer()), arg.integer() < 0};
    case Arg::Kind::kUnsigned:
      return Integer{arg.bits(), false};
    default:
      return std::nullopt;
  }
}

Bits to_unsigned(Integer value, int width) {
  const bool fits = !value.negative && low_bits(value.bits, width) == value.bits;
  return fits ? Bits(value.bits) : std::nullopt;
}

Bits to_signed(Integer value, int width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const bool fits = value.negative ? ~value.bits < sign : value.bits < sign;
  return fits ? Bits(low_bits(value.bits, width)) : std::nullopt;
}

Bits to_float(Integer value, DType type) {
  const std::uint64_t magnitude = value.negative ? 0 - value.bits : value.bits;
  const auto wide = static_cast<double>(magnitude);
  constexpr double kTwo64 = 18446744073709551616.0;
  if (wide >= kTwo64 || static_cast<std::uint64_t>(wide) != magnitude) return std::nullopt;
  const double exact = value.negative ? -wide : wide;
  const std::uint64_t bits = float_to_bits(type, exact);
  return bits_to_float(type, bits) == exact ? Bits(bits) : std::nullopt;
}

Bits from_integer(Integer value, DType type) {
  if (is_bool(type)) return to_unsigned(value, 1);
  if (type.code == kDLInt) return to_signed(value, type.bits);
  if (type.code == kDLUInt) return to_unsigned(value, type.bits);
  return has_float_conversion(type) ? to_float(value, type) : std::nullopt;
}

Bits from_bits(const Arg& arg, DType type) {
  const int width = is_bool(type) ? 1 : type.bits;
  const bool fits = arg.dtype() == type && low_bits(arg.bits(), width) == arg.bits();
  return fits ? Bits(arg.bits()) : std::nullopt;
}

std::string number_text(double value) {
  char text[32];
  const auto [end, failure] = std::to_chars(text, text + sizeof text, value);
  return failure == std::errc() ? std::string(text, end) : "?";
}

std::string hex_text(std::uint64_t bits) {
  char text[16];
  return "0x" + std::string(text, std::to_chars(text, text + sizeof text, bits, 16).ptr);
}

}  // namespace

std::optional<std::uint64_t> scalar_bits(const Arg& arg, DType type) noexcept {
  if (type.lanes != 1 || type.bits == 0 || type.bits > 64) return std::nullopt;
  if (const auto integer = as_integer(arg)) return from_integer(*integer, type);
  if (arg.kind() == Arg::Kind::kBits) return from_bits(arg, type);
  const bool convertible = arg.kind() == Arg::Kind::kFloat && has_float_conversion(type);
  return convertible ? Bits(float_to_bits(type, arg.floating())) : std::nullopt;
}

std::string describe(const Arg& arg) {
  switch (arg.kind()) {
    case Arg::Kind::kTensor:
      return arg.tensor() == nullptr ? "a null tensor" : "a tensor " + describe(*arg.tensor());
    case Arg::Kind::kInteger:
      return "the integer " + std::to_string(arg.integer());
    case Arg::Kind::kUnsigned:
      return "the integer " + std::to_string(arg.bits());
    case Arg::Kind::kFloat:
      return "the number " + number_text(arg.floating());
    case Arg::Kind::kBool:
      return arg.integer() != 0 ? "true" : "false";
    case Arg::Kind::kBits:
      return "the bits " + hex_text(arg.bits()) + " of a " + to_string(arg.dtype());
    case Arg::Kind::kPointer:
      return "a pointer";
  }
  return "unknown";
}

}  // namespace kmux
