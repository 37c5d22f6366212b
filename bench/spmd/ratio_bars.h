#pragma once

namespace kmux::bench::spmd {

// Our speed over that of native code on one processor: of several problems, the least.

double stream_ratio();
double stencil_ratio();
double tree_reduction_ratio();
double tiled_matmul_ratio();
double tiled_matmul_packed_ratio();
double naive_matmul_ratio();
double divergent_ratio();
double transcendental_ratio();

}  // namespace kmux::bench::spmd
