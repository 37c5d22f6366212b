#pragma once

#include "kmux/plugin/driver.h"
#include "kmux/plugin/tensor_map_check.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// The last encoding of one tensor map, and its inputs that may differ from call to call.
struct MapSlot {
  kmux_tensor_map map;
  void* base;
  unsigned long long dims[5];
  unsigned long long strides_bytes[4];
  bool valid;
};

/// The result of encoding a map without elements, instead of 0. It is an error only if a kernel gets the map.
constexpr int kEmptyMap = -1;

/// Copies the slot's map to `map` and returns true, if it is valid for `geometry`. `slot` may be null.
bool copy_kept_map(const MapSlot* slot, const kmux_map_geometry& geometry, kmux_tensor_map* map);

/// Writes the tensor map of `geometry` to `map`. A context must be current. With a slot, copies its map if base, dims
/// and strides are equal, patches it if only the base differs, else encodes the map and keeps it. `slot` may be null.
///
/// For a tensor without elements, writes an EmptyMap and returns kEmptyMap, without using the slot or the driver.
///
/// Errors:   invalid_argument with every violated constraint of the hardware, before the driver is called; the driver's
///           error. Either makes the slot invalid.
/// Threads:  thread-safe with different slots.
/// Source:   CUDA Driver API, Tensor Map Object Management.
int encode_tiled_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                     const unsigned* box, kmux_sink error);

/// Encodes an im2col map as `encode_tiled_map` does; the rank must be 3 to 5.
int encode_im2col_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                      const Im2colBox& box, kmux_sink error);

}  // namespace kmux::nvidia
