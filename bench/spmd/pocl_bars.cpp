#include "pocl_bars.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "../bursts.h"
#include "contest.h"
#include "cuda_kernel.h"
#include "memory.h"
#include "opencl.h"
#include "settings.h"

namespace kmux::bench::spmd {

double pocl_geomean() {
  const std::vector<Problem> problems = {vadd(Size::kL2),
                                         saxpy(),
                                         silu(),
                                         stencil(Size::kL2, 32, 8),
                                         tree_sum(Size::kL2),
                                         stride_sum(Size::kL2),
                                         transpose(),
                                         matmul_tiled(256),
                                         matmul_naive(256, 16, 16),
                                         mandelbrot(256, 192)};
  double sum = 0;
  for (const Problem& problem : problems) {
    const Contest& result = contest(problem, true);
    sum += std::log(result.pocl->best / result.ours.best);
  }
  return std::exp(sum / static_cast<double>(problems.size()));
}

double compile_vs_pocl() {
  constexpr int kRounds = 9;
  const Problem problem = vadd(Size::kL2);
  const Memory memory(problem);
  const auto begin = std::chrono::steady_clock::now().time_since_epoch().count();  // no earlier process's
  int number = 0;
  const auto note = [&] { return "// " + std::to_string(begin) + " " + std::to_string(number++) + "\n"; };
  std::optional<CudaKernel> kernel;
  const auto ours = [&] {
    const double time = milliseconds_of([&] { kernel.emplace(problem, memory, note(), cpu_options({}))(); });
    kernel->await_best();
    return time;
  };
  const auto theirs = [&] { return milliseconds_of([&] { OpenClKernel(problem, memory, note())(); }); };
  static_cast<void>(in_turns(2, ours, theirs));
  const Pairs pairs = in_turns(kRounds, ours, theirs);
  if (settings().is_verbose) {
    std::fprintf(stderr, "  new vadd to first call: kmux %.1f ms, PoCL %.1f ms\n", median(pairs.ours),
                 median(pairs.theirs));
  }
  return pairs.ratio();
}

}  // namespace kmux::bench::spmd
