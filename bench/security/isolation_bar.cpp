// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "kmux/compile.h"
#include "kmux/program.h"

#include "bars/bar.h"

namespace kmux::bench::security {
namespace {

// Measures the first compilation of a process, whose worker is not started yet.
double isolation_cold_ms() {
  const Program program = load_program(KMUX_BENCH_ROOT "/examples/kernels/saxpy.cu").value();
  CompileOptions options;
  options.execution_backend = "cpu";
  options.isolation = Isolation::kProcess;
  options.use_cache = false;
  const auto begin = std::chrono::steady_clock::now();
  compile(program, options).value();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The first compilation of saxpy on backend cpu with isolation="process", its worker and Clang not yet loaded.
BAR("isolation_cold_ms", "ms", no_limit(), isolation_cold_ms, {.processes = 5});

}  // namespace
}  // namespace kmux::bench::security
