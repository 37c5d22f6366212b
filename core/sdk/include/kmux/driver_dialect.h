#pragma once

#include "kmux/emit.h"
#include "kmux/plugin.h"

extern "C" {

/// A hardware tensor map (CUtensorMap), which drivers want aligned.
struct kmux_tensor_map {
  alignas(64) unsigned char bytes[128];
};

/// What tiled and im2col maps share. Enumerations have the driver's numbers (kmux/dispatch.h).
///
/// Shapes: `rank` values each, innermost dimension first; `strides_bytes` has one less.
struct kmux_map_geometry {
  const char* name;  // for messages
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

/// One launch of kernel number `kernel` of the plan; `cluster` is all 0 without one.
struct kmux_driver_launch {
  unsigned int kernel;
  unsigned int grid[3];
  unsigned int block[3];
  unsigned int cluster[3];
  unsigned long long dynamic_smem_bytes;
  unsigned int flags;
  unsigned int window_count;
  void** args;
  const kmux_driver_window* windows;
};

/// The driver calls of a launcher. Each returns 0, or an ErrorCode after writing text to `error`.
///
/// Threads: any, concurrently.   Lifetime: owned by the library that hosts the launcher; borrows for the call.
struct kmux_driver {
  void* self;
  int (*launch)(void* self, const kmux_launch_env* env, const kmux_driver_launch* launch, kmux_sink error);
  /// `bytes` may be 0.
  int (*fill)(void* self, const kmux_launch_env* env, void* target, unsigned long long bytes, unsigned char value,
              kmux_sink error);
  int (*encode_tiled)(void* self, kmux_tensor_map* map, const kmux_map_geometry* geometry, const unsigned int* box,
                      kmux_sink error);
  int (*encode_im2col)(void* self, kmux_tensor_map* map, const kmux_map_geometry* geometry, const int* lower_corner,
                       const int* upper_corner, unsigned int channels_per_pixel, unsigned int pixels_per_column,
                       kmux_sink error);
};

/// What such a launcher takes for its `env`: the caller's, and the driver behind it.
struct kmux_driver_env {
  kmux_launch_env env;
  const kmux_driver* driver;
};

}  // extern "C"

namespace kmux {

/// Prints launches as calls through `kmux_driver`, for backends whose driver is opened at run time.
///
/// The printed launcher must be called with the `env` of a `kmux_driver_env`.
class DriverDialect final : public LauncherDialect {
 public:
  void declarations(CodeWriter& out, const Plan& plan) override;
  void tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) override;
  void launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) override;
  void fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) override;
};

}  // namespace kmux
