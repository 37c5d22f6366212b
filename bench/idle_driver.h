#pragma once

#include "kmux/plugin/driver.h"

namespace kmux::bench {

inline int idle_launch(const kmux_driver_env*, const kmux_driver_launch*, kmux_sink) { return KMUX_OK; }
inline int idle_fill(const kmux_driver_env*, const kmux_driver_fill*, kmux_sink) { return KMUX_OK; }
inline int idle_encode_tiled(const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const unsigned*,
                             kmux_sink) {
  return KMUX_OK;
}
inline int idle_encode_im2col(const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const int*,
                              const int*, unsigned, unsigned, kmux_sink) {
  return KMUX_OK;
}

/// A driver that does nothing, so that only the code before it is measured.
inline constexpr kmux_driver kIdleDriver = {&idle_launch, &idle_fill, &idle_encode_tiled, &idle_encode_im2col};

}  // namespace kmux::bench
