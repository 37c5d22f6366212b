#pragma once

#include "simt/runtime/launch.h"

extern "C" {

/// Copies `launch` to `own` with the cluster of `x`, `y` and `z` blocks that the source of `kernel` requires. Called by
/// the code of kernels with __cluster_dims__. Returns 0, or a kmux_code after writing to the launch's `error`.
///
/// Threads: any.
int kmux_cpu_set_cluster(const kmux_cpu_grid* launch, kmux_cpu_grid* own, const char* kernel, unsigned x, unsigned y,
                         unsigned z);
}
