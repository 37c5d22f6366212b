#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "kmux/compile.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/process.h"
#include "kmux/tensor.h"
#include "kmux/trace.h"

#include "bars/bar.h"
#include "cold_kernel.h"
#include "scratch.h"

namespace kmux::bench {
namespace {

constexpr int kTracedCalls = 1'100'000;

/// traced_calls FILE: records a trace of many calls and writes it to FILE. Prints the seconds of writing and the MB of
/// the whole.
int traced_calls(const std::vector<std::string>& words) {
  compile(small_program(0), {.target = "c", .use_cache = false}).value().await_best().value();  // compiler memory
  const std::uint64_t before = most_resident(RUSAGE_SELF);
  start_trace();
  const Kernel kernel = compile(small_program(0), {.target = "c", .use_cache = false}).value();
  kernel.await_best().value();
  const auto zero = [] { return Tensor::zeros({1}, dtype::kFloat32).value(); };
  const Tensor a = zero(), b = zero(), c = zero();
  const std::array<Arg, 3> args{a, b, c};
  for (int i = 0; i < kTracedCalls; ++i) kernel.launch(args).value();
  const auto began = std::chrono::steady_clock::now();
  {
    std::ofstream file(words.front(), std::ios::binary);
    stop_trace().write_to(file);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%g %g\n", took.count(), static_cast<double>(most_resident(RUSAGE_SELF) - before) / 1e6);
  return 0;
}
CHILD("traced_calls", traced_calls);

std::array<double, 2> traced() {
  const Scratch scratch;
  const ProcessResult ran = run({.argv = child_command("traced_calls", {(scratch / "trace.json").string()})}).value();
  std::array<double, 2> figures{};
  if (std::sscanf(ran.standard_output.c_str(), "%lf %lf", &figures[0], &figures[1]) != 2)
    throw std::runtime_error(ran.standard_output + ran.standard_error);
  return figures;
}

double trace_exit_s() { return traced()[0]; }
double trace_peak_mb() { return traced()[1]; }

/// The time to write the trace of 1.1 million calls when a process ends.
BAR("trace_exit_s", "s", at_most(2), trace_exit_s);

/// The peak memory of such a trace: its events, and writing them.
BAR("trace_peak_mb", "MB", at_most(150), trace_peak_mb);

}  // namespace
}  // namespace kmux::bench
