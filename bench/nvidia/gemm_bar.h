#pragma once

namespace kmux::bench {

/// TFLOP/s of a TileLang matrix product of 4096 through a kernel, over those of the same code by raw launches. Needs a
/// device; throws if something fails, a wrong result among them.
double gemm_ratio();

}  // namespace kmux::bench
