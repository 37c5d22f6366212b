#include "nvidia/launch/tensor_map.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

// Compares without branches: nearly every call has a map of equal shape.
bool has_shape_of(const MapSlot& slot, const kmux_map_geometry& geometry) {
  unsigned long long difference = 0;
  for (unsigned i = 0; i < geometry.rank; ++i) difference |= slot.dims[i] ^ geometry.dims[i];
  for (unsigned i = 0; i + 1 < geometry.rank; ++i) difference |= slot.strides_bytes[i] ^ geometry.strides_bytes[i];
  return difference == 0;
}

void remember_map(MapSlot& slot, const kmux_tensor_map& map, const kmux_map_geometry& geometry) {
  slot.map = map;
  slot.base = geometry.base;
  for (unsigned i = 0; i < geometry.rank; ++i) slot.dims[i] = geometry.dims[i];
  for (unsigned i = 0; i + 1 < geometry.rank; ++i) slot.strides_bytes[i] = geometry.strides_bytes[i];
  slot.valid = true;
}

int move_map(const DriverTable& driver, MapSlot& slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
             kmux_sink error) {
  slot.valid = false;
  if (const int code = check_map_base(geometry, error)) return code;
  const CUresult result = driver.replace_address(&slot.map, geometry.base);
  if (result != CUDA_SUCCESS) {
    return fail_call(driver, error, "cuTensorMapReplaceAddress", result, "tensor map \"%s\"", geometry.name);
  }
  slot.base = geometry.base;
  slot.valid = true;
  *map = slot.map;
  return 0;
}

// Casts to the driver's 64-bit type, a different type of the same size.
const uint64_t* driver_words(const unsigned long long* words) { return reinterpret_cast<const uint64_t*>(words); }

// Returns a valid address also for rank 1, which has no strides: the driver requires one.
const uint64_t* driver_strides(const kmux_map_geometry& geometry) {
  static constexpr uint64_t kNone = 0;
  return geometry.rank > 1 ? driver_words(geometry.strides_bytes) : &kNone;
}

// Handles the slot for tiled and im2col maps; `encode` checks the map and writes it.
template <class Encode>
int encode_through(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                   kmux_sink error, const char* call, Encode encode) {
  if (copy_kept_map(slot, geometry, map)) return 0;
  if (slot != nullptr && slot->valid && has_shape_of(*slot, geometry)) {
    return move_map(driver, *slot, map, geometry, error);
  }
  if (mark_if_empty(map, geometry)) return kEmptyMap;  // no slot has such a shape
  if (slot != nullptr) slot->valid = false;
  CUresult result = CUDA_SUCCESS;
  if (const int code = encode(&result)) return code;
  if (result != CUDA_SUCCESS) return fail_call(driver, error, call, result, "tensor map \"%s\"", geometry.name);
  if (slot != nullptr) remember_map(*slot, *map, geometry);
  return 0;
}

}  // namespace

bool copy_kept_map(const MapSlot* slot, const kmux_map_geometry& geometry, kmux_tensor_map* map) {
  const bool is_kept = slot != nullptr && slot->valid && slot->base == geometry.base && has_shape_of(*slot, geometry);
  if (is_kept) *map = slot->map;
  return is_kept;
}

int encode_tiled_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                     const unsigned* box, kmux_sink error) {
  return encode_through(driver, slot, map, geometry, error, "cuTensorMapEncodeTiled", [&](CUresult* result) {
    if (const int code = check_tiled_map(geometry, box, error)) return code;
    *result = driver.encode_tiled(map, static_cast<int>(geometry.dtype), geometry.rank, geometry.base,
                                  driver_words(geometry.dims), driver_strides(geometry), box, geometry.element_strides,
                                  static_cast<int>(geometry.interleave), static_cast<int>(geometry.swizzle),
                                  static_cast<int>(geometry.l2_promotion), static_cast<int>(geometry.oob_fill));
    return 0;
  });
}

int encode_im2col_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                      const Im2colBox& box, kmux_sink error) {
  return encode_through(driver, slot, map, geometry, error, "cuTensorMapEncodeIm2col", [&](CUresult* result) {
    if (const int code = check_im2col_map(geometry, box, error)) return code;
    *result =
        driver.encode_im2col(map, static_cast<int>(geometry.dtype), geometry.rank, geometry.base,
                             driver_words(geometry.dims), driver_words(geometry.strides_bytes), box.lower_corner,
                             box.upper_corner, box.channels_per_pixel, box.pixels_per_column, geometry.element_strides,
                             static_cast<int>(geometry.interleave), static_cast<int>(geometry.swizzle),
                             static_cast<int>(geometry.l2_promotion), static_cast<int>(geometry.oob_fill));
    return 0;
  });
}

}  // namespace kmux::nvidia
