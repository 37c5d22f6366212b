#pragma once

#include "nvidia/launch/tensor_map.h"

namespace kmux::nvidia {

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
