#include "launch_bars.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "../bursts.h"
#include "cuda_kernel.h"
#include "memory.h"
#include "native_code.h"
#include "problem.h"
#include "settings.h"
#include "turns.h"

namespace kmux::bench::spmd {
namespace {

// In turns as well: what the machine does meanwhile meets both alike.
double speed_up(const Problem& problem) {
  constexpr int kTurns = 5;
  const Memory memory(problem);
  const CudaKernel kernel(problem, memory);
  const auto seconds = [&] { return time_in_turns({[&] { kernel(); }}).front().best; };
  double one = 0;
  double two = 0;
  const auto lessen = [](double& least, double time) { least = least == 0 ? time : std::min(least, time); };
  for (int turn = 0; turn < kTurns; ++turn) {
    lessen(two, seconds());
    const OneProcessor alone;
    lessen(one, seconds());
  }
  if (settings().is_verbose) {
    std::fprintf(stderr, "  %-32s one processor %.3f ms, two %.3f ms\n", problem.title.c_str(), one * 1e3, two * 1e3);
  }
  return one / two;
}

}  // namespace

double one_block_launch_ns() {
  constexpr int kBursts = 2001;
  constexpr int kCalls = 200;
  const Problem problem = one_block();
  const Memory memory(problem);
  const CudaKernel kernel(problem, memory);
  const int count = problem.scalars.front().second;
  volatile NativeFunction bare = native_code().front().function(problem.native);
  const auto launch = [&] { kernel(); };
  const auto direct = [&] { bare(memory.addresses(), &count); };
  const auto pairs =
      in_turns(kBursts, [&] { return nanoseconds_of(kCalls, launch); }, [&] { return nanoseconds_of(kCalls, direct); });
  if (settings().is_verbose) {
    std::fprintf(stderr, "  one block: launch %.1f ns, native function %.1f ns\n", median(pairs.ours),
                 median(pairs.theirs));
  }
  return pairs.median_difference();
}

double two_threads_ratio() {
  const std::vector<Problem> problems = {mandelbrot(1024, 768), matmul_tiled(512)};
  double least = 0;
  for (const Problem& problem : problems) {
    const double ratio = speed_up(problem);
    least = least == 0 ? ratio : std::min(least, ratio);
  }
  return least;
}

std::string missing_processors() { return std::thread::hardware_concurrency() < 2 ? "needs two processors" : ""; }

}  // namespace kmux::bench::spmd
