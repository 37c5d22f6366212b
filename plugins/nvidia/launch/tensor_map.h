#pragma once

#include "kmux/driver.h"

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

/// Writes the tensor map of `geometry` to `map`. With a slot: copied where base, dims and strides are those of the slot,
/// patched where only the base differs, else encoded anew and remembered. Without one (null): encoded.
///
/// Errors:   invalid_argument with every constraint of the hardware that does not hold, before the driver is asked;
/// what the driver said. Either leaves the slot without a map.
/// Threads:  any, each with a slot of its own.
/// Source:   CUDA Driver API, Tensor Map Object Management.
int encode_tiled_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                     const unsigned* box, kmux_sink error);

/// As `encode_tiled_map`, of rank 3 to 5.
int encode_im2col_map(const DriverTable& driver, MapSlot* slot, kmux_tensor_map* map, const kmux_map_geometry& geometry,
                      const Im2colBox& box, kmux_sink error);

}  // namespace kmux::nvidia
