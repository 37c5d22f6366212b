#include "ratio_bars.h"

#include <vector>

#include "contest.h"
#include "problem.h"

namespace kmux::bench::spmd {
namespace {

// The second level of cache holds three such matrices, and only the third or memory the larger ones.
constexpr int kMatrices[] = {256, 1024};

double least(const std::vector<Problem>& problems) { return least_over_native(problems); }

}  // namespace

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

}  // namespace kmux::bench::spmd
