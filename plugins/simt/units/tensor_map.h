#pragma once

#include <array>
#include <cstdint>

#include "kmux/plugin/plugin.h"
#include "kmux/plugin/tensor_map.h"

namespace kmux::simt {

/// The contents of a CUtensorMap on a processor, which the host encodes and copies read.
///
/// Shapes: innermost dimension first.
struct alignas(64) EncodedMap {
  static constexpr unsigned kMaxRank = 5;
  static constexpr std::uint64_t kMark = 0x70616d'78756d6b;  // "kmuxmap"

  std::uint64_t mark;  // kMark in every map
  char* base;  // the first element
  std::array<std::uint64_t, kMaxRank - 1> strides;  // bytes, of all dimensions but the innermost
  std::array<std::uint32_t, kMaxRank> last;  // the last index: an extent may be 2^32
  std::array<std::uint16_t, kMaxRank> box;  // elements of the tensor; in im2col mode: channels, pixels
  std::array<std::int16_t, kMaxRank - 2> lower_corner;  // in im2col mode, of all dimensions between the outer two
  std::array<std::int16_t, kMaxRank - 2> upper_corner;
  std::array<std::uint8_t, kMaxRank> steps;  // element strides, the first without effect
  std::uint8_t rank;
  std::uint8_t dtype;  // the driver's numbers here and below
  std::uint8_t swizzle;
  std::uint8_t fill;
  bool is_im2col;
};
static_assert(sizeof(EncodedMap) == sizeof(kmux_tensor_map) && alignof(EncodedMap) == alignof(kmux_tensor_map));

/// Returns the bytes of an element of type `dtype`; 0 if it is not a whole number.
std::uint32_t element_bytes(unsigned dtype);

/// Returns what copies of a processor cannot do with such a map, as a noun; null if they can copy.
const char* unsupported_map(unsigned dtype, unsigned interleave, unsigned swizzle);

/// Returns the map at `address`, of `rank` coordinates.
///
/// Errors: throws KernelFailure if there is no valid map, or it has another rank.
const EncodedMap& read_map(const void* address, unsigned rank);

}  // namespace kmux::simt

extern "C" {

/// Writes the tensor map of `geometry` to `map`; called by printed launchers. For a tensor without elements, writes an
/// EmptyMap. Returns 0, or a kmux_code after writing to `error`.
///
/// Errors:  as check_tiled_map and check_im2col_map; unsupported as by `unsupported_map`.
/// Threads: any.
int kmux_cpu_encode_tiled(kmux_tensor_map* map, const kmux_map_geometry* geometry, const unsigned* box,
                          kmux_sink error);
int kmux_cpu_encode_im2col(kmux_tensor_map* map, const kmux_map_geometry* geometry, const int* lower_corner,
                           const int* upper_corner, unsigned channels_per_pixel, unsigned pixels_per_column,
                           kmux_sink error);

/// Checks a map that a launch passes to `kernel`: invalid_argument for an EmptyMap.
int kmux_cpu_check_map(const kmux_tensor_map* map, const char* kernel, kmux_sink error);
}
