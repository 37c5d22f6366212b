#pragma once

#include "kmux/plugin/driver.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// The last encoding of one tensor map, and what it was made of: the map's part that differs from call to call.
struct MapSlot {
  kmux_tensor_map map;
  void* base;
  unsigned long long dims[5];
  unsigned long long strides_bytes[4];
  bool valid;
};

/// The mode of an im2col map. The corners have rank - 2 values.
struct Im2colBox {
  const int* lower_corner;
  const int* upper_corner;
  unsigned channels_per_pixel;
  unsigned pixels_per_column;
};

/// A map of a tensor without elements, which hardware has no form for. It stands in the bytes of the map, so that a launch
/// that gets it can tell.
struct EmptyMap {
  char mark[24];
  const char* name;
  unsigned dim;  // the first that is 0
};

/// What encoding returns for such a map, in place of 0: it is well as long as no kernel gets it.
constexpr int kEmptyMap = -1;

/// The empty map that a kernel's argument of `size` bytes is; null if it is none.
const EmptyMap* empty_map_in(const void* argument, size_t size);

/// Copies the slot's map to `map`, if it is that of `geometry`. `slot` may be null.
bool copy_kept_map(const MapSlot* slot, const kmux_map_geometry& geometry, kmux_tensor_map* map);

/// Writes the tensor map of `geometry` to `map`; a context is current. With a slot: copied where base, dims and strides are those of the slot,
/// patched where only the base differs, else encoded anew and remembered. Without one (null): encoded.
///
/// Without elements: marked as an EmptyMap, and kEmptyMap returned; neither the slot nor the driver hears of it.
///
/// Errors:   invalid_argument with every constraint of the hardware that does not hold, before the driver is asked;
/// the driver's error. Either leaves the slot without a map.
/// Threads:  any, each with a slot of its own.
/// Source:   CUDA Driver API, Tensor Map Object Management.
int encode_tiled_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                     const unsigned* box, kmux_sink error);

/// As `encode_tiled_map`, of rank 3 to 5.
int encode_im2col_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                      const Im2colBox& box, kmux_sink error);

/// What the hardware asks of a tensor map, checked before the driver is asked, since the driver only answers "invalid
/// argument".
///
/// Errors: invalid_argument: one sentence that names the map and lists everything that does not hold.
/// Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
int check_tiled_map(const kmux_map_geometry& geometry, const unsigned* box, kmux_sink error);
int check_im2col_map(const kmux_map_geometry& geometry, const Im2colBox& box, kmux_sink error);

/// The part of both that concerns the address alone.
int check_map_base(const kmux_map_geometry& geometry, kmux_sink error);

}  // namespace kmux::nvidia
