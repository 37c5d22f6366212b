#include <algorithm>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kmux/plugin/process.h"

#include "bars/bar.h"
#include "bursts.h"
#include "cuda_kernel.h"
#include "memory.h"
#include "native_code.h"
#include "problem.h"
#include "turns.h"

namespace kmux::bench::spmd {
namespace {

constexpr const char* kOne = "1";
constexpr const char* kTwo = "2";

std::vector<Problem> computing_problems() { return {mandelbrot(1024, 768), matmul_tiled(512)}; }

double seconds_in_a_process(std::size_t which, const char* processors) {
  const ProcessResult result = run({.argv = child_command("seconds", {std::to_string(which), processors})}).value();
  if (result.exit_code != 0) throw std::runtime_error(result.standard_error);
  return std::stod(result.standard_output);
}

// Measures alternately as well, so that other load affects both alike.
double speed_up(std::size_t which) {
  constexpr int kTurns = 4;
  double one = std::numeric_limits<double>::max();
  double two = one;
  for (int turn = 0; turn < kTurns; ++turn) {
    one = std::min(one, seconds_in_a_process(which, kOne));
    two = std::min(two, seconds_in_a_process(which, kTwo));
  }
  std::fprintf(stderr, "  %-32s one processor %.3f ms, two %.3f ms\n", computing_problems()[which].title.c_str(),
               one * 1e3, two * 1e3);
  return one / two;
}

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
  std::fprintf(stderr, "  one block: launch %.1f ns, native function %.1f ns\n", median(pairs.ours),
               median(pairs.theirs));
  return pairs.median_difference();
}

double two_threads_ratio() {
  double least = std::numeric_limits<double>::max();
  for (std::size_t which = 0; which < computing_problems().size(); ++which) least = std::min(least, speed_up(which));
  return least;
}

// Prints the seconds of a launch of problem number words[0], on one or two processors.
int print_seconds(const std::vector<std::string>& words) {
  const Processors some(words.at(1) == kOne ? 1 : 2);
  const Problem problem = computing_problems().at(std::stoul(words[0]));
  const Memory memory(problem);
  const CudaKernel kernel(problem, memory);
  std::printf("%.9f\n", time_in_turns({[&] { kernel(); }}).front().best);
  return 0;
}

std::string missing_processors() { return std::thread::hardware_concurrency() < 2 ? "needs two processors" : ""; }

CHILD("seconds", print_seconds);

/// The speed of two threads over one of kernels that compute: the least of Mandelbrot and a tiled product of 512.
BAR("two_threads_ratio", "ratio", at_least(1.9), two_threads_ratio, {.missing = missing_processors});

/// A launch of one block through the public API, over the native function called through a pointer.
BAR("one_block_launch_ns", "ns", at_most(60), one_block_launch_ns, {.processes = 5});

}  // namespace
}  // namespace kmux::bench::spmd
