#include "simt/units/tensor_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "simt/runtime/launch.h"
#include "simt/units/element_reduction.h"
#include "simt/units/shared_tile.h"
#include "simt/units/tensor_box.h"
#include "simt/units/tensor_map.h"

namespace kmux::simt {
namespace {

constexpr unsigned kTf32 = 11, kTf32Ftz = 12;  // the driver's numbers

using enum Reduction;

constexpr unsigned bits_of(std::initializer_list<Reduction> operations) {
  unsigned bits = 0;
  for (const Reduction operation : operations) bits |= 1U << static_cast<unsigned>(operation);
  return bits;
}

/// The elements of a map: how they reduce, and by which operations.
struct ReducedType {
  ElementType type;
  unsigned operations;
};

constexpr unsigned kBitwise = bits_of({kAdd, kMin, kMax, kAnd, kOr, kXor});
constexpr unsigned kOfFractions = bits_of({kAdd, kMin, kMax});

// By the driver's numbers, CUtensorMapDataType. Others are illegal instructions of an H200.
constexpr auto kReducedTypes = std::to_array<ReducedType>({{ElementType::kU8, 0},
                                                           {ElementType::kU16, 0},
                                                           {ElementType::kU32, kBitwise | bits_of({kInc, kDec})},
                                                           {ElementType::kS32, kBitwise},
                                                           {ElementType::kU64, kBitwise},
                                                           {ElementType::kS64, bits_of({kMin, kMax})},
                                                           {ElementType::kF16, kOfFractions},
                                                           {ElementType::kF32, bits_of({kAdd})},
                                                           {ElementType::kF64, bits_of({kAdd})},
                                                           {ElementType::kBf16, kOfFractions},
                                                           {ElementType::kF32, bits_of({kAdd})},
                                                           {ElementType::kF32, bits_of({kAdd})},
                                                           {ElementType::kF32, bits_of({kAdd})}});

[[noreturn]] void refuse_mode(bool is_im2col) {
  throw KernelFailure(std::string("a copy uses a tensor map whose mode is ") + (is_im2col ? "im2col" : "tiled") +
                      " (the instruction has the other one). Use the same mode in both.");
}

[[noreturn]] void refuse_reduction() {
  throw KernelFailure(
      "a copy reduces a tensor by an operation that the type of its tensor map does not have (it is an illegal "
      "instruction of a GPU). Choose another operation or type.");
}

/// The bytes of elements out of bounds: 0, or the NaN of the hardware.
class Fill {
 public:
  explicit Fill(const EncodedMap& map) { pattern_.fill(map.fill == 0 ? 0 : kNan); }

  void write(char* to, std::uint32_t bytes) const {
    for (std::uint32_t at = 0; at < bytes; at += sizeof pattern_) {
      std::memcpy(to + at, pattern_.data(), std::min<std::size_t>(bytes - at, sizeof pattern_));
    }
  }

 private:
  static constexpr std::uint16_t kNan = 0x7ff7;  // of an H200, in each 16 bits of any type
  std::array<std::uint16_t, 8> pattern_;
};

// Rounds to the 10 bits of a tf32, to nearest and ties to even. Returns one NaN for all.
std::uint32_t rounded_to_tf32(std::uint32_t bits) {
  constexpr std::uint32_t kRest = 0x1fff, kInfinity = 0x7f80'0000;
  if ((bits & 0x7fff'ffff) > kInfinity) return 0x7fff'e000;
  return (bits + (kRest >> 1) + (bits >> 13 & 1)) & ~kRest;
}

void round_to_tf32(char* at, std::uint32_t bytes) {
  for (char* const end = at + bytes; at < end; at += sizeof(std::uint32_t)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    bits = rounded_to_tf32(bits);
    std::memcpy(at, &bits, sizeof bits);
  }
}

// Calls `visit(in the tensor, in shared memory, bytes)` for the pieces of a box that are within the tensor.
template <class Visit>
void for_each_piece(const void* map, const BoxPlace& place, const char* shared, Visit visit) {
  const EncodedMap& encoded = read_map(map, place.rank);
  const TensorBox box(encoded, place);
  const SharedTile tile(shared, box.extent(), encoded.swizzle);
  box.for_each_row([&](const BoxRow& row) {
    tile.for_each_piece(row.first, row.last, [&](const char* from, std::uint32_t at, std::uint32_t bytes) {
      visit(row.elements + at, from, bytes);
    });
  });
}

}  // namespace

std::uint32_t load_box(const void* map, const BoxPlace& place, char* to) {
  const EncodedMap& encoded = read_map(map, place.rank);
  if (encoded.is_im2col != (place.offsets != nullptr)) refuse_mode(encoded.is_im2col);
  const TensorBox box(encoded, place);
  const SharedTile tile(to, box.extent(), encoded.swizzle);
  const Fill fill(encoded);
  const bool is_rounded = encoded.dtype == kTf32 || encoded.dtype == kTf32Ftz;
  const auto write_fill = [&](char* piece, std::uint32_t, std::uint32_t bytes) { fill.write(piece, bytes); };
  box.for_each_row([&](const BoxRow& row) {
    tile.for_each_piece(row.begin, row.first, write_fill);
    tile.for_each_piece(row.first, row.last, [&](char* piece, std::uint32_t at, std::uint32_t bytes) {
      std::memcpy(piece, row.elements + at, bytes);
      if (is_rounded) round_to_tf32(piece, bytes);
    });
    tile.for_each_piece(row.last, row.end, write_fill);
  });
  return static_cast<std::uint32_t>(box.bytes());
}

std::uint64_t box_extent(const void* map, const BoxPlace& place) {
  return TensorBox(read_map(map, place.rank), place).extent();
}

void store_box(const void* map, const BoxPlace& place, const char* from) {
  for_each_piece(map, place, from,
                 [](char* to, const char* piece, std::uint32_t bytes) { std::memcpy(to, piece, bytes); });
}

void reduce_box(const void* map, const BoxPlace& place, const char* from, Reduction operation) {
  const auto [element, operations] = kReducedTypes[read_map(map, place.rank).dtype];
  if ((operations >> static_cast<unsigned>(operation) & 1) == 0) refuse_reduction();
  for_each_piece(map, place, from, [&](char* to, const char* piece, std::uint32_t bytes) {
    reduce_elements(to, piece, bytes, operation, element);
  });
}

}  // namespace kmux::simt
