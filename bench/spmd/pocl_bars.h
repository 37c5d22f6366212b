#pragma once

namespace kmux::bench::spmd {

/// The geometric mean of our speed over PoCL's, one processor, for ten kernels whose data lies in the second level of cache.
double pocl_geomean();

/// The time from a source that neither has seen to the end of its first launch, over PoCL's, in a process where both have
/// compiled before.
double compile_vs_pocl();

}  // namespace kmux::bench::spmd
