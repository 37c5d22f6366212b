#include "argument.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>

// Missing before TVM-FFI 0.1.14; those versions have no such integers either.
#pragma weak TVMFFIBigIntGetContentByteArray

namespace kmux::bridge {
namespace {

bool is_fractional(const Arg& arg) { return arg.kind() == Arg::Kind::kFloat; }
bool is_number(const Arg& arg) { return arg.kind() != Arg::Kind::kTensor && arg.kind() != Arg::Kind::kPointer; }

bool fits(const BufferParam& buffer, const Arg& arg) {
  if (arg.kind() != Arg::Kind::kTensor) return false;
  if (arg.tensor() == nullptr) return buffer.nullable;
  return is_compatible(buffer.dtype, to_dtype(arg.tensor()->dtype));
}

bool fits(const ScalarParam& scalar, const Arg& arg) {
  return is_number(arg) && (is_float(scalar.dtype) || !is_fractional(arg));
}

// Returns true for an address, an integer address, or a tensor, which is passed as its address.
bool fits(const PointerParam&, const Arg& arg) {
  switch (arg.kind()) {
    case Arg::Kind::kPointer:
    case Arg::Kind::kTensor:
    case Arg::Kind::kInteger:
    case Arg::Kind::kUnsigned:
      return true;
    default:
      return false;
  }
}

bool fits(const Param& param, const Arg& arg) {
  return std::visit([&arg](const auto& kind) { return fits(kind, arg); }, param.kind);
}

}  // namespace

namespace {

/// Returns the two's complement of an integer outside int64, the lowest word first; nothing for any other value.
TVMFFIByteArray words_of(const TVMFFIAny& value) noexcept {
  if (TVMFFIBigIntGetContentByteArray == nullptr || value.type_index != kTVMFFIBigInt) return {};
  return TVMFFIBigIntGetContentByteArray(&value);
}

/// The two upper words of a magnitude.
struct UpperWords {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool has_more = false;  // a bit below them is set
};

UpperWords upper_words_of(const TVMFFIByteArray& words, bool is_negative) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  UpperWords upper;
  bool carries = is_negative;
  for (std::size_t i = 0; i < words.size / kWord; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words.data + i * kWord, sizeof word);
    if (is_negative) word = ~word + (carries ? 1U : 0U);
    carries = carries && word == 0;
    upper = {upper.high, word, upper.has_more || upper.low != 0};
  }
  return upper;
}

/// Returns the magnitude as a double, rounded once: to the nearest, and to even between two.
double magnitude_of(const TVMFFIByteArray& words, bool is_negative) noexcept {
  const UpperWords upper = upper_words_of(words, is_negative);
  const int zeros = std::countl_zero(upper.high);
  // The leading 64 bits, of which the last one stands for all that follow: a double has 53.
  std::uint64_t leading = upper.high;
  if (zeros == 64)
    leading = upper.low;
  else if (zeros > 0)
    leading = upper.high << zeros | upper.low >> (64 - zeros);
  const bool is_cut = zeros < 64 && upper.low << zeros != 0;
  return std::ldexp(static_cast<double>(leading | ((is_cut || upper.has_more) ? 1U : 0U)),
                    static_cast<int>(words.size * 8) - 64 - zeros);
}

}  // namespace

bool round_big_integer(const TVMFFIAny& value, Arg* place) noexcept {
  const TVMFFIByteArray words = words_of(value);
  if (words.size < 2 * sizeof(std::uint64_t)) return false;
  const bool is_negative = (static_cast<unsigned char>(words.data[words.size - 1]) & 0x80U) != 0;
  const double magnitude = magnitude_of(words, is_negative);
  if (std::isinf(magnitude)) return false;
  return std::construct_at(place, is_negative ? -magnitude : magnitude), true;
}

bool read_big_integer(const TVMFFIAny& value, Arg* place) noexcept {
  const TVMFFIByteArray words = words_of(value);
  // A uint64 above int64 has a second word, zero, for the sign.
  std::array<std::uint64_t, 2> parts{};
  if (words.size != sizeof parts) return false;
  std::memcpy(parts.data(), words.data, sizeof parts);
  if (parts[1] != 0) return false;
  return std::construct_at(place, parts[0]), true;
}

bool has_wrong_type(std::span<const Param* const> params, std::span<const Arg> args) {
  if (params.size() != args.size()) return true;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!fits(*params[i], args[i])) return true;
  }
  return false;
}

namespace {

struct Name {
  std::string_view key;   // TVM-FFI's
  std::string_view name;  // with its article
};

// Small values have separate type keys in TVM-FFI.
constexpr std::array kNames = {
    Name{"None", "None"},
    Name{"int", "an int"},
    Name{"ffi.BigInt", "an int"},
    Name{"bool", "a bool"},
    Name{"float", "a float"},
    Name{"ffi.SmallStr", "a str"},
    Name{"ffi.String", "a str"},
    Name{"const char*", "a str"},
    Name{"ffi.SmallBytes", "a bytes"},
    Name{"ffi.Bytes", "a bytes"},
    Name{"ffi.Array", "a list"},
    Name{"ffi.List", "a list"},
    Name{"ffi.Map", "a dict"},
    Name{"ffi.Dict", "a dict"},
    Name{"ffi.Shape", "a shape"},
    Name{"ffi.Function", "a function"},
    Name{"ffi.Tensor", "a tensor"},
    Name{"DLTensor*", "a tensor"},
    Name{"DataType", "a dtype"},
    Name{"Device", "a device"},
    Name{"ffi.OpaquePyObject", "an object of a type unknown to TVM-FFI"},
};

}  // namespace

std::string named_type(std::int32_t index) {
  const std::string key = ::tvm::ffi::TypeIndexToTypeKey(index);
  for (const Name& each : kNames) {
    if (each.key == key) return std::string(each.name);
  }
  return "a " + key;
}

}  // namespace kmux::bridge
