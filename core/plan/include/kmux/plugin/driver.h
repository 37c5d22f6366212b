#pragma once

// The driver calls of a launcher. This header and plugin.h are also printed into generated launchers, so they stand on
// nothing but the language.
#include "kmux/plugin/plugin.h"

extern "C" {

/// A hardware tensor map (CUtensorMap), which drivers want aligned.
struct kmux_tensor_map {
  alignas(64) unsigned char bytes[128];
};

/// What tiled and im2col maps share. Enumerations have the driver's numbers (kmux/dispatch.h).
///
/// Shapes: `rank` values each, innermost dimension first; `strides_bytes` has one less.
struct kmux_map_geometry {
  const char* name;    // for messages
  unsigned int index;  // of the map in its plan; all but base, dims and strides is the same in every call
  void* base;
  unsigned int dtype;
  unsigned int rank;
  const unsigned long long* dims;
  const unsigned long long* strides_bytes;
  const unsigned int* element_strides;
  unsigned int interleave;
  unsigned int swizzle;
  unsigned int l2_promotion;
  unsigned int oob_fill;
};

/// Bytes that should stay in the L2 cache.
struct kmux_driver_window {
  void* base;
  unsigned long long bytes;
  double hit_ratio;
};

enum { kmux_cooperative = 1, kmux_programmatic_serialization = 2 };

/// One launch of kernel number `kernel` of the plan; `cluster` is all 0 without one. `step` counts the launches and fills
/// of the plan in the order of its text, whatever guards and loops are around them.
struct kmux_driver_launch {
  unsigned int kernel;
  unsigned int step;
  unsigned int grid[3];
  unsigned int block[3];
  unsigned int cluster[3];
  unsigned long long dynamic_smem_bytes;
  unsigned int flags;
  unsigned int window_count;
  void** args;
  const kmux_driver_window* windows;
};

/// Sets `bytes` bytes, perhaps none.
struct kmux_driver_fill {
  unsigned int step;
  unsigned char value;
  void* target;
  unsigned long long bytes;
};

struct kmux_driver;

/// What a launcher over `kmux_driver` takes for its `env`: the caller's, the driver behind it, and the driver's own record
/// of this call.
struct kmux_driver_env {
  kmux_launch_env env;
  const kmux_driver* driver;
  void* call;
};

/// Each returns 0, or an ErrorCode after writing text to `error`.
///
/// Threads: any, concurrently, each with an env of its own.   Lifetime: borrows for the call.
struct kmux_driver {
  int (*launch)(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error);
  int (*fill)(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error);
  int (*encode_tiled)(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                      const unsigned int* box, kmux_sink error);
  int (*encode_im2col)(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                       const int* lower_corner, const int* upper_corner, unsigned int channels_per_pixel,
                       unsigned int pixels_per_column, kmux_sink error);
};

}  // extern "C"
