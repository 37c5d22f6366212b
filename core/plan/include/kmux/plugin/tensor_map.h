#pragma once

// Tensor maps as launchers encode them. Also printed into generated launchers, so it must depend on the language only.

extern "C" {

/// A hardware tensor map (CUtensorMap), aligned as drivers require.
struct kmux_tensor_map {
  alignas(64) unsigned char bytes[128];  // written by the driver
};

/// The common part of tiled and im2col maps. Enumerations have the driver's numbers (kmux/dispatch.h).
///
/// Shapes: `rank` values each, innermost dimension first; `strides_bytes` has one fewer.
struct kmux_map_geometry {
  const char* name;    // for messages
  unsigned int index;  // of the map in its plan; only base, dims and strides can differ between calls
  void* base;  // the first element
  unsigned int dtype;  // of an element
  unsigned int rank;  // number of dimensions
  const unsigned long long* dims;  // elements
  const unsigned long long* strides_bytes;  // of all but the innermost
  const unsigned int* element_strides;  // 1: every element
  unsigned int interleave;  // of the channels
  unsigned int swizzle;  // in shared memory
  unsigned int l2_promotion;  // of the reads
  unsigned int oob_fill;  // the value of out-of-bounds elements
};

}  // extern "C"
