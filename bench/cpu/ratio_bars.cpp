#include <vector>

#include "bars/bar.h"
#include "contest.h"
#include "problem.h"

namespace kmux::bench::spmd {
namespace {

// Each bar is the speed over that of native code on one processor: the least of several problems.

// The second level of cache holds three of the smaller matrices; the larger ones need the third level or memory.
constexpr int kMatrices[] = {256, 1024};

double least(const std::vector<Problem>& problems) { return least_over_native(problems); }

double stream_ratio() {
  return least({vadd(Size::kL2), vadd(Size::kDram), stride_sum(Size::kL2), stride_sum(Size::kDram)});
}

double stencil_ratio() {
  std::vector<Problem> problems;
  for (const Size size : {Size::kL2, Size::kDram}) {
    for (const auto& [x, y] : {std::pair{256U, 1U}, {128U, 2U}, {64U, 4U}, {32U, 8U}, {16U, 16U}}) {
      problems.push_back(stencil(size, x, y));
    }
  }
  return least(problems);
}

double tree_reduction_ratio() { return least({tree_sum(Size::kL2)}); }

double tiled_matmul_ratio() { return least({matmul_tiled(kMatrices[0]), matmul_tiled(kMatrices[1])}); }

double tiled_matmul_packed_ratio() { return least({matmul_packed(kMatrices[0]), matmul_packed(kMatrices[1])}); }

double naive_matmul_ratio() {
  std::vector<Problem> problems;
  for (const int n : kMatrices) {
    problems.push_back(matmul_naive(n, 32, 8));
    problems.push_back(matmul_naive(n, 16, 16));
  }
  return least(problems);
}

double divergent_ratio() { return least({mandelbrot(1024, 768)}); }

double transcendental_ratio() { return least({silu()}); }

/// The speed of vadd and of a grid-stride sum over native code: the least, in L2 and over DRAM.
BAR("stream_ratio", "ratio", at_least(0.95), stream_ratio);

/// A stencil over native code: the least of five block shapes, in L2 and over DRAM.
BAR("stencil_ratio", "ratio", at_least(0.9), stencil_ratio);

/// A tree sum through shared memory over the same tree in C++, in L2.
BAR("tree_reduction_ratio", "ratio", at_least(0.8), tree_reduction_ratio);

/// A tiled matrix product over the same tiling in C++.
BAR("tiled_matmul_ratio", "ratio", at_least(1), tiled_matmul_ratio);

/// A tiled matrix product over a packed GEMM in C++.
BAR("tiled_matmul_packed_ratio", "ratio", at_least(0.8), tiled_matmul_packed_ratio);

/// A matrix product without tiles over i-k-j loops.
BAR("naive_matmul_ratio", "ratio", at_least(0.9), naive_matmul_ratio);

/// Mandelbrot over scalar C++. With AVX2 alone (--march x86-64-v3) 5 is the goal.
BAR("divergent_ratio", "ratio", at_least(10), divergent_ratio);

/// x / (1 + exp(-x)) over the same with the C library's expf. With AVX2 alone 5 is the goal.
BAR("transcendental_ratio", "ratio", at_least(10), transcendental_ratio);

}  // namespace
}  // namespace kmux::bench::spmd
