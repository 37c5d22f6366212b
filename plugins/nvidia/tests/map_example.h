#pragma once

#include "nvidia/launch/tensor_map.h"

namespace kmux::nvidia {

/// The arguments of a tensor map of halves, valid in every rank, for tests to invalidate.
struct MapExample {
  void* base = reinterpret_cast<void*>(0x1000);
  unsigned index = 0;
  unsigned dtype = 6;
  unsigned rank = 2;
  unsigned long long dims[6] = {64, 32, 16, 8, 4, 2};
  unsigned long long strides_bytes[5] = {1024, 4096, 8192, 16384, 32768};
  unsigned element_strides[6] = {1, 1, 1, 1, 1, 1};
  unsigned box[6] = {16, 8, 4, 2, 1, 1};
  int lower[3] = {-1, -1, -1};
  int upper[3] = {1, 1, 1};
  unsigned channels = 32;
  unsigned pixels = 64;
  unsigned interleave = 0;
  unsigned swizzle = 0;
  unsigned l2_promotion = 2;
  unsigned oob_fill = 0;

  kmux_map_geometry geometry() const {
    return {"A_desc",      index,           base,       dtype,   rank,         dims,
            strides_bytes, element_strides, interleave, swizzle, l2_promotion, oob_fill};
  }
  Im2colBox im2col() const { return {lower, upper, channels, pixels}; }
};

}  // namespace kmux::nvidia
