#include "simt/units/matrix_values.h"

#include <cstring>

namespace kmux::simt {
namespace {

template <class Bits, class Number, class Convert>
[[gnu::always_inline]] inline void unpack_elements(const void* from, std::size_t bytes, Number* to,
                                                   const Convert& convert) {
  for (std::size_t i = 0; i < bytes / sizeof(Bits); ++i) {
    Bits bits;
    std::memcpy(&bits, static_cast<const char*>(from) + i * sizeof(Bits), sizeof(Bits));
    to[i] = convert(bits);
  }
}

// Returns the upper four bits of `bits`, as signed or unsigned number.
std::uint32_t upper_four(std::uint8_t bits, bool is_signed) {
  if (!is_signed) return bits >> 4;
  return static_cast<std::uint32_t>(static_cast<std::int8_t>(bits) >> 4);
}

void unpack_fours(const void* from, std::size_t bytes, bool is_signed, std::uint32_t* to) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto both = static_cast<const std::uint8_t*>(from)[i];
    to[2 * i] = upper_four(static_cast<std::uint8_t>(both << 4), is_signed);
    to[2 * i + 1] = upper_four(both, is_signed);
  }
}

[[gnu::always_inline]] inline void unpack_floats(MatrixType type, const void* from, std::size_t bytes, float* to) {
  switch (type) {
    case MatrixType::kF16:
      return unpack_elements<std::uint16_t>(from, bytes, to, from_f16);
    case MatrixType::kBf16:
      return unpack_elements<std::uint16_t>(from, bytes, to, from_bf16);
    case MatrixType::kE4m3:
      return unpack_elements<std::uint8_t>(from, bytes, to, from_e4m3);
    case MatrixType::kE5m2:
      return unpack_elements<std::uint8_t>(from, bytes, to, from_e5m2);
    case MatrixType::kTf32:
      return unpack_elements<std::uint32_t>(from, bytes, to, from_tf32);
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace

void unpack(MatrixType type, const void* from, std::size_t bytes, float* to) {
  if (bytes == 16) return unpack_floats(type, from, 16, to);  // of constant length, which becomes vectors
  unpack_floats(type, from, bytes, to);
}

void unpack(MatrixType, const void* from, std::size_t bytes, double* to) { std::memcpy(to, from, bytes); }

void unpack(MatrixType type, const void* from, std::size_t bytes, std::uint32_t* to) {
  switch (type) {
    case MatrixType::kS8:
      return unpack_elements<std::int8_t>(from, bytes, to, [](auto x) { return static_cast<std::uint32_t>(x); });
    case MatrixType::kU8:
      return unpack_elements<std::uint8_t>(from, bytes, to, [](auto x) { return std::uint32_t{x}; });
    case MatrixType::kS4:
    case MatrixType::kU4:
      return unpack_fours(from, bytes, type == MatrixType::kS4, to);
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace kmux::simt
