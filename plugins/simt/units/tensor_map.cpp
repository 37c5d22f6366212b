#include "simt/units/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/tensor_map_check.h"

#include "simt/runtime/launch.h"

namespace kmux::simt {
namespace {

constexpr unsigned kFirstWideAtom = 4;  // the driver's CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B

// By the driver's numbers, CUtensorMapDataType.
constexpr std::array<std::uint8_t, 13> kElementBytes = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

EncodedMap common_part(const kmux_map_geometry& geometry) {
  EncodedMap map = {};
  map.mark = EncodedMap::kMark;
  map.base = static_cast<char*>(geometry.base);
  map.rank = static_cast<std::uint8_t>(geometry.rank);
  map.dtype = static_cast<std::uint8_t>(geometry.dtype);
  map.swizzle = static_cast<std::uint8_t>(geometry.swizzle);
  map.fill = static_cast<std::uint8_t>(geometry.oob_fill);
  for (unsigned i = 0; i < geometry.rank; ++i) {
    map.last[i] = static_cast<std::uint32_t>(geometry.dims[i] - 1);
    map.steps[i] = static_cast<std::uint8_t>(geometry.element_strides[i]);
  }
  std::copy_n(geometry.strides_bytes, geometry.rank - 1, map.strides.begin());
  return map;
}

int check_supported(const kmux_map_geometry& geometry, kmux_sink error) {
  const char* const what = unsupported_map(geometry.dtype, geometry.interleave, geometry.swizzle);
  if (what == nullptr) return KMUX_OK;
  return write_error(make_error(ErrorCode::kUnsupported, "tensor map \"" + std::string(geometry.name) + "\" has " +
                                                             what + " (backend cpu copies none). Use a map without."),
                     error);
}

[[noreturn]] void refuse_map(const std::string& why) {
  throw KernelFailure("a copy uses a tensor map that " + why +
                      ". Pass the map of the launch as const __grid_constant__ CUtensorMap.");
}

// Returns false for a map that lacks a field: code may build one field by field.
bool is_complete(const EncodedMap& map) {
  if (map.base == nullptr || map.rank == 0) return false;
  const unsigned sides = map.is_im2col ? 2 : map.rank;
  return std::all_of(map.steps.begin(), map.steps.begin() + map.rank, [](unsigned step) { return step != 0; }) &&
         std::all_of(map.box.begin(), map.box.begin() + sides, [](unsigned side) { return side != 0; });
}

}  // namespace

std::uint32_t element_bytes(unsigned dtype) { return dtype < kElementBytes.size() ? kElementBytes[dtype] : 0; }

const char* unsupported_map(unsigned dtype, unsigned interleave, unsigned swizzle) {
  if (interleave != 0) return "interleaved channels";
  if (swizzle >= kFirstWideAtom) return "a swizzle of atoms other than 16 bytes";
  return element_bytes(dtype) == 0 ? "elements that are not whole bytes" : nullptr;
}

const EncodedMap& read_map(const void* address, unsigned rank) {
  const auto& map = *static_cast<const EncodedMap*>(address);
  if (address == nullptr) refuse_map("is missing (its address is null)");
  if (reinterpret_cast<std::uintptr_t>(address) % alignof(EncodedMap) != 0)
    refuse_map("is not aligned (its address is not a multiple of 64 bytes)");
  if (map.mark != EncodedMap::kMark) refuse_map("is invalid (its bytes were not encoded by a launch)");
  if (map.rank != rank)
    refuse_map("has rank " + std::to_string(map.rank) + " (the instruction has " + std::to_string(rank) +
               " coordinates)");
  if (!is_complete(map)) refuse_map("is incomplete (tensormap.replace has not set all of its fields)");
  return map;
}

}  // namespace kmux::simt

using kmux::simt::EncodedMap;

int kmux_cpu_encode_tiled(kmux_tensor_map* map, const kmux_map_geometry* geometry, const unsigned* box,
                          kmux_sink error) {
  if (kmux::mark_if_empty(map, *geometry)) return KMUX_OK;
  if (const int code = kmux::check_tiled_map(*geometry, box, error)) return code;
  if (const int code = kmux::simt::check_supported(*geometry, error)) return code;
  EncodedMap encoded = kmux::simt::common_part(*geometry);
  std::copy_n(box, geometry->rank, encoded.box.begin());
  std::memcpy(map, &encoded, sizeof encoded);
  return KMUX_OK;
}

int kmux_cpu_encode_im2col(kmux_tensor_map* map, const kmux_map_geometry* geometry, const int* lower_corner,
                           const int* upper_corner, unsigned channels_per_pixel, unsigned pixels_per_column,
                           kmux_sink error) {
  if (kmux::mark_if_empty(map, *geometry)) return KMUX_OK;
  const kmux::Im2colBox box = {lower_corner, upper_corner, channels_per_pixel, pixels_per_column};
  if (const int code = kmux::check_im2col_map(*geometry, box, error)) return code;
  if (const int code = kmux::simt::check_supported(*geometry, error)) return code;
  EncodedMap encoded = kmux::simt::common_part(*geometry);
  encoded.is_im2col = true;
  encoded.box = {static_cast<std::uint16_t>(channels_per_pixel), static_cast<std::uint16_t>(pixels_per_column)};
  std::copy_n(lower_corner, geometry->rank - 2, encoded.lower_corner.begin());
  std::copy_n(upper_corner, geometry->rank - 2, encoded.upper_corner.begin());
  std::memcpy(map, &encoded, sizeof encoded);
  return KMUX_OK;
}

int kmux_cpu_check_map(const kmux_tensor_map* map, const char* kernel, kmux_sink error) {
  const kmux::EmptyMap* const empty = kmux::empty_map_in(map, sizeof *map);
  return empty == nullptr ? KMUX_OK : kmux::refuse_empty_map(*empty, kernel, error);
}
