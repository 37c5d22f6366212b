#pragma once

#include <stddef.h>

#include "kmux/plugin/plugin.h"
#include "kmux/plugin/tensor_map.h"

namespace kmux {

// The constraints of tensor maps, the same for all backends. Also printed into generated launchers, as is the source
// file, so both must be C++17 with libc only.

/// The mode of an im2col map.
struct Im2colBox {
  const int* lower_corner;      ///< rank - 2 values
  const int* upper_corner;      ///< rank - 2 values
  unsigned channels_per_pixel;  ///< the channels of one box
  unsigned pixels_per_column;   ///< the pixels of one box
};

/// Checks a map before it is encoded, since drivers report invalid maps by "invalid argument" alone.
///
/// Errors: invalid_argument: one sentence that names the map and lists every violated constraint.
/// Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
int check_tiled_map(const kmux_map_geometry& geometry, const unsigned* box, kmux_sink error);

/// Checks an im2col map, as check_tiled_map does.
int check_im2col_map(const kmux_map_geometry& geometry, const Im2colBox& box, kmux_sink error);

/// Checks only the base address, for both modes.
int check_map_base(const kmux_map_geometry& geometry, kmux_sink error);

/// A map of a tensor without elements, which the hardware cannot encode. It is stored in the bytes of the map, so that
/// a launch with such an argument can detect it.
struct EmptyMap {
  char mark[24];     ///< tells such a map from an encoded one
  const char* name;  ///< the name of the map
  unsigned dim;      ///< the first that is 0
};

/// Writes an EmptyMap to `map` and returns true, if `geometry` has no elements.
bool mark_if_empty(kmux_tensor_map* map, const kmux_map_geometry& geometry);

/// Returns the first empty map in a kernel's argument of `size` bytes, which is a map or a structure; null if it has none.
const EmptyMap* empty_map_in(const void* argument, size_t size);

/// Writes that `kernel` gets an empty map, and returns invalid_argument.
int refuse_empty_map(const EmptyMap& map, const char* kernel, kmux_sink error);

}  // namespace kmux
