// Matrices of the PTX ISA, written down from its formulas and without the code that is tested: the bits of numbers, and
// the places of fragments.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "simt/units/matrix_product.h"

namespace kmux::simt::isa {

using enum MatrixType;

/// Returns a number of `exponent` and `mantissa` bits with a sign. Numbers with the largest exponent are not decoded.
inline double decode(std::uint64_t bits, int exponent, int mantissa) {
  const int bias = (1 << (exponent - 1)) - 1;
  const auto field = static_cast<int>(bits >> mantissa & ((1U << exponent) - 1));
  const double part = std::ldexp(static_cast<double>(bits & ((1U << mantissa) - 1)), -mantissa);
  const double size = field == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, field - bias);
  return (bits >> (exponent + mantissa) & 1) != 0 ? -size : size;
}

inline double decode(MatrixType type, std::uint64_t bits) {
  switch (type) {
    case kF16:
      return decode(bits, 5, 10);
    case kBf16:
      return decode(bits, 8, 7);
    case kE4m3:
      return decode(bits, 4, 3);
    case kE5m2:
      return decode(bits, 5, 2);
    case kTf32:
      return decode(bits >> 13, 8, 10);
    case kF32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case kF64:
      return std::bit_cast<double>(bits);
    case kS8:
      return bits < 128 ? static_cast<double>(bits) : static_cast<double>(bits) - 256;
    case kS4:
      return bits < 8 ? static_cast<double>(bits) : static_cast<double>(bits) - 16;
    case kS32:
      return static_cast<std::int32_t>(bits);
    default:
      return static_cast<double>(bits);
  }
}

/// Returns bits of `type` that stand for the small whole number `value`.
inline std::uint64_t encode(MatrixType type, double value) {
  if (type == kF64) return std::bit_cast<std::uint64_t>(value);
  if (type == kTf32 || type == kF32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == kS32 || type == kB1) return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  static std::map<std::pair<MatrixType, double>, std::uint64_t> known;
  const auto [entry, is_new] = known.insert({{type, value}, 0});
  while (is_new && decode(type, entry->second) != value) ++entry->second;
  return entry->second;
}

/// Sets element `i` of packed elements of `type`.
inline void put(std::vector<std::uint8_t>& bytes, MatrixType type, std::size_t i, std::uint64_t bits) {
  const std::size_t width = element_bits(type), bit = i * width;
  if (width == 4) {
    bytes[bit / 8] = static_cast<std::uint8_t>((bytes[bit / 8] & (0xf0 >> bit % 8)) | bits << bit % 8);
  } else {
    std::memcpy(&bytes[bit / 8], &bits, width / 8);
  }
}
inline std::uint64_t get(const std::vector<std::uint8_t>& bytes, MatrixType type, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &bytes[i * element_bits(type) / 8], element_bits(type) / 8);
  return bits;
}

using Place = std::pair<int, int>;  // row and column
using Fragment = Place (*)(int g, int t, int i);  // group lane / 4, thread lane % 4 of it, element

/// A shape of mma with the ISA's figures "fragment layout": of A and of B. b1 counts elements of one bit.
struct Form {
  int m, n, k;
  std::vector<std::pair<MatrixType, MatrixType>> types;
  Fragment a, b;
};

inline bool is_within(int i, int begin, int end) { return begin <= i && i < end; }

#define KMUX_PLACE(row, column) \
  []([[maybe_unused]] int g, [[maybe_unused]] int t, [[maybe_unused]] int i) { return Place(row, column); }

inline const std::vector<Form>& forms() {
  static const std::vector<Form>& all = *new std::vector<Form>{
      {16,
       8,
       8,
       {{kF16, kF16}, {kBf16, kBf16}},
       KMUX_PLACE(i < 2 ? g : g + 8, t * 2 + (i & 1)),
       KMUX_PLACE(t * 2 + i, g)},
      {16,
       8,
       16,
       {{kF16, kF16}, {kBf16, kBf16}},
       KMUX_PLACE(is_within(i, 0, 2) || is_within(i, 4, 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8),
       KMUX_PLACE(i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)},
      {16, 8, 4, {{kTf32, kTf32}}, KMUX_PLACE(i == 0 ? g : g + 8, t), KMUX_PLACE(t, g)},
      {16,
       8,
       8,
       {{kTf32, kTf32}},
       KMUX_PLACE(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4),
       KMUX_PLACE(i == 0 ? t : t + 4, g)},
      {8, 8, 4, {{kF64, kF64}}, KMUX_PLACE(g, t), KMUX_PLACE(t, g)},
      {16, 8, 4, {{kF64, kF64}}, KMUX_PLACE(i == 0 ? g : g + 8, t), KMUX_PLACE(t, g)},
      {16,
       8,
       8,
       {{kF64, kF64}},
       KMUX_PLACE(i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4),
       KMUX_PLACE(i == 0 ? t : t + 4, g)},
      {16,
       8,
       16,
       {{kF64, kF64}},
       KMUX_PLACE(i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t),
       KMUX_PLACE(t + i * 4, g)},
      {16,
       8,
       16,
       {{kS8, kS8}, {kU8, kS8}, {kE4m3, kE4m3}, {kE5m2, kE4m3}},
       KMUX_PLACE(i < 4 ? g : g + 8, t * 4 + (i & 3)),
       KMUX_PLACE(t * 4 + i, g)},
      {16,
       8,
       32,
       {{kS8, kS8}, {kS8, kU8}, {kU8, kU8}, {kE4m3, kE5m2}, {kE5m2, kE5m2}},
       KMUX_PLACE(is_within(i, 0, 4) || is_within(i, 8, 12) ? g : g + 8,
                  i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16),
       KMUX_PLACE(i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)},
      {8, 8, 16, {{kS8, kS8}, {kU8, kS8}}, KMUX_PLACE(g, t * 4 + i), KMUX_PLACE(t * 4 + i, g)},
      {8, 8, 32, {{kS4, kS4}, {kU4, kS4}}, KMUX_PLACE(g, t * 8 + i), KMUX_PLACE(t * 8 + i, g)},
      {16, 8, 32, {{kS4, kS4}, {kS4, kU4}}, KMUX_PLACE(i < 8 ? g : g + 8, t * 8 + (i & 7)), KMUX_PLACE(t * 8 + i, g)},
      {16,
       8,
       64,
       {{kS4, kU4}, {kU4, kU4}},
       KMUX_PLACE(is_within(i, 0, 8) || is_within(i, 16, 24) ? g : g + 8,
                  i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32),
       KMUX_PLACE(i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g)},
      {8, 8, 128, {{kB1, kB1}}, KMUX_PLACE(g, t * 32 + i), KMUX_PLACE(t * 32 + i, g)},
      {16, 8, 128, {{kB1, kB1}}, KMUX_PLACE(i < 32 ? g : g + 8, t * 32 + (i & 31)), KMUX_PLACE(t * 32 + i, g)},
      {16,
       8,
       256,
       {{kB1, kB1}},
       KMUX_PLACE(is_within(i, 0, 32) || is_within(i, 64, 96) ? g : g + 8,
                  i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128),
       KMUX_PLACE(i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g)},
  };
  return all;
}

/// Returns the place of element `i` of C and D.
inline Place place_in_sums(int m, int g, int t, int i) {
  return m == 8 ? Place(g, t * 2 + (i & 1)) : Place(i < 2 ? g : g + 8, t * 2 + (i & 1));
}

#undef KMUX_PLACE

/// Returns the types that C and D may have with A of `type`.
inline std::vector<MatrixType> sums_of(MatrixType type) {
  if (type == kF16 || type == kE4m3 || type == kE5m2) return {kF32, kF16};
  if (type == kF64) return {kF64};
  return {is_integer(type) ? kS32 : kF32};
}

/// Returns the product as the compiler describes it.
inline MatrixProduct described(int m, int n, int k, MatrixType a, MatrixType b, MatrixType sums) {
  MatrixProduct product{};
  product.m = static_cast<std::uint16_t>(m), product.n = static_cast<std::uint16_t>(n);
  product.k = static_cast<std::uint16_t>(a == kB1 ? k / 32 : k);
  product.a = a, product.b = b, product.c = sums, product.d = sums;
  return product;
}

/// A matrix of numbers.
struct Matrix {
  int rows, columns;
  std::vector<double> numbers = std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));

  double& operator()(int row, int column) { return numbers[static_cast<std::size_t>(row * columns + column)]; }
  double operator()(int row, int column) const { return numbers[static_cast<std::size_t>(row * columns + column)]; }
};

/// Returns small whole numbers that each type represents, of which products have exact sums.
inline Matrix whole_numbers(int rows, int columns, MatrixType type, std::mt19937& random) {
  Matrix matrix{rows, columns};
  const bool is_unsigned = type == kU8 || type == kU4;
  for (double& one : matrix.numbers) {
    if (type == kB1) {
      one = static_cast<double>(random() & 1);
    } else {
      one = static_cast<double>(random() % 8) - (is_unsigned ? 0 : 4);
    }
  }
  return matrix;
}

inline Matrix product_of(const Matrix& a, const Matrix& b, Matrix c, bool is_xor = false) {
  for (int row = 0; row < a.rows; ++row) {
    for (int column = 0; column < b.columns; ++column) {
      for (int k = 0; k < a.columns; ++k)
        c(row, column) += is_xor ? (a(row, k) != b(k, column) ? 1 : 0) : a(row, k) * b(k, column);
    }
  }
  return c;
}

}  // namespace kmux::simt::isa
