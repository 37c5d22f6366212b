#pragma once

#include <cstdint>
#include <type_traits>

// Device code includes this header, too (frontend/device/fragments.h).
namespace kmux::simt {

/// The element types of matrices that units of GPUs multiply.
enum class MatrixType : std::uint8_t { kF16, kBf16, kTf32, kF32, kF64, kE4m3, kE5m2, kS8, kU8, kS4, kU4, kB1, kS32 };

/// Returns the bits of an element. Elements of b1 are whole words: 32 bits of one row of A or one column of B.
constexpr unsigned element_bits(MatrixType type) {
  switch (type) {
    case MatrixType::kF64:
      return 64;
    case MatrixType::kF16:
    case MatrixType::kBf16:
      return 16;
    case MatrixType::kE4m3:
    case MatrixType::kE5m2:
    case MatrixType::kS8:
    case MatrixType::kU8:
      return 8;
    case MatrixType::kS4:
    case MatrixType::kU4:
      return 4;
    default:
      return 32;
  }
}

/// Returns true for the types whose sums are s32.
constexpr bool is_integer(MatrixType type) { return type >= MatrixType::kS8; }

/// A product D = A B + C by one warp, as the compiler describes it to the runtime. Of wgmma it is the part of one warp,
/// with 16 of the 64 rows. Constant data of a kernel's code, so it has no padding.
struct MatrixProduct {
  std::uint16_t m, n, k;  // k is a number of elements: words for b1
  MatrixType a, b, c, d;
  bool is_negated;  // the scales of A and B have different signs
  bool is_saturated;  // sums are clamped to the range of s32
  bool is_xor;  // of b1: bits that differ are counted, else bits that both have
  bool is_a_mn_major, is_b_mn_major;  // in shared memory, or in a lane of four products, neighbours lie along M or N
  bool is_by_group;  // wgmma: each warp of a group of four has its own rows
  bool is_sparse;  // of A only half of the elements are there, and their places in metadata of the lanes
  std::uint8_t selector;  // the lanes of four that have the metadata

  bool operator==(const MatrixProduct&) const = default;
};
static_assert(std::has_unique_object_representations_v<MatrixProduct>);

inline constexpr unsigned kProductsOfQuads = 4;

/// Returns how many products a warp computes: four of m8n8k4 of f16, by eight lanes each, else one.
constexpr unsigned products_of(const MatrixProduct& product) {
  return product.a == MatrixType::kF16 && product.m == 8 ? kProductsOfQuads : 1;
}

/// Returns the product that has the elements of A that are there as its A: the same, or half as deep.
constexpr MatrixProduct packed(MatrixProduct product) {
  if (product.is_sparse) product.k /= 2;
  return product;
}

inline constexpr unsigned kWarpsOfGroup = 4;
inline constexpr unsigned kMaxProductRows = 16;  // with any number of columns; wmma has 32 with 8 columns
inline constexpr unsigned kMaxProductColumns = 256;
inline constexpr unsigned kMaxProductDepth = 64;  // with as many columns as mma has: 8, and 16 rows
inline constexpr unsigned kMaxGroupDepth = 64;  // with any number of columns

/// Returns the bits of a register that has elements of `type`.
constexpr unsigned register_bits(MatrixType type) { return type == MatrixType::kF64 ? 64 : 32; }

/// Returns the registers of a lane, of 32 that share `elements` elements.
constexpr unsigned lane_registers(MatrixType type, unsigned elements) {
  return elements * element_bits(type) / (32 * register_bits(type));
}

}  // namespace kmux::simt
