#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bars/bar.h"
#include "bursts.h"
#include "contest.h"
#include "cuda_kernel.h"
#include "memory.h"
#include "opencl.h"

namespace kmux::bench::spmd {
namespace {

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
  const auto begin = std::chrono::steady_clock::now().time_since_epoch().count();  // unique across processes
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
  std::fprintf(stderr, "  new vadd to first call: kmux %.1f ms, PoCL %.1f ms\n", median(pairs.ours),
               median(pairs.theirs));
  return pairs.ratio();
}

/// The geometric mean of the speed over PoCL's: ten kernels on one processor, data in the second level of cache.
BAR("pocl_geomean", "ratio", at_least(10), pocl_geomean, {.missing = missing_pocl});

/// A new kernel to the end of its first launch / PoCL's, in a process where both have compiled before.
BAR("compile_vs_pocl", "ratio", at_most(0.125), compile_vs_pocl, {.missing = missing_pocl});

}  // namespace
}  // namespace kmux::bench::spmd
