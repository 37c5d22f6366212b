#pragma once

// The driver calls of a launcher. This header and those that it includes are also printed into generated launchers, so
// they must depend on the language only.
#include "kmux/plugin/plugin.h"
#include "kmux/plugin/tensor_map.h"

extern "C" {

/// Bytes that should stay in the L2 cache.
struct kmux_driver_window {
  void* base;  // its first byte
  unsigned long long bytes;  // its size
  double hit_ratio;  // fraction of accesses that persist, 0 to 1
};

enum { kmux_cooperative = 1, kmux_programmatic_serialization = 2 };

/// One launch of kernel number `kernel` of the plan; `cluster` is all 0 without a cluster. `step` counts the launches
/// and fills of the plan in program order, including those in guards and loops.
struct kmux_driver_launch {
  unsigned int kernel;  // index in the plan
  unsigned int step;  // see above
  unsigned int grid[3];  // blocks in x, y, z
  unsigned int block[3];  // threads in x, y, z
  unsigned int cluster[3];  // blocks in x, y, z
  unsigned long long dynamic_smem_bytes;  // of each block
  unsigned int flags;  // kmux_cooperative, ...
  unsigned int window_count;  // of `windows`
  void** args;  // the address of each argument
  const kmux_driver_window* windows;  // null if `window_count` is 0
};

/// Sets `bytes` bytes; `bytes` may be 0.
struct kmux_driver_fill {
  unsigned int step;  // as in kmux_driver_launch
  unsigned char value;  // of each byte
  void* target;  // the first byte
  unsigned long long bytes;  // how many
};

struct kmux_driver;

/// The `env` of a launcher over `kmux_driver`: the env of the caller, the driver, and the driver's data for this call.
struct kmux_driver_env {
  kmux_launch_env env;  // must be first: the launcher casts its `env` to this struct
  const kmux_driver* driver;  // executes the steps
  void* call;  // private to the driver
};

/// The driver functions. Each returns 0, or an ErrorCode after writing text to `error`.
///
/// Threads: any, concurrently, each with a separate env.   Lifetime: borrows for the call.
struct kmux_driver {
  int (*launch)(const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error);  // a kernel
  int (*fill)(const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error);  // device memory
  int (*encode_tiled)(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                      const unsigned int* box, kmux_sink error);  // writes `map`
  int (*encode_im2col)(const kmux_driver_env* env, kmux_tensor_map* map, const kmux_map_geometry* geometry,
                       const int* lower_corner, const int* upper_corner, unsigned int channels_per_pixel,
                       unsigned int pixels_per_column, kmux_sink error);  // writes `map`
};

}  // extern "C"
