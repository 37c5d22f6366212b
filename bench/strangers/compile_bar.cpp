#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "kmux/compile.h"
#include "kmux/program.h"

#include "bars/bar.h"
#include "kernels.h"

namespace kmux::bench::strangers {
namespace {

double seconds_to_compile(const std::string& name, const std::string& tier) {
  const Program program = load_program(kernel_path(name)).value();
  const std::clock_t begin = std::clock();  // of all threads
  compile(program, cpu_options(tier)).value();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::fprintf(stderr, "  %-24s tier %s %.2f s\n", name.c_str(), tier.c_str(), seconds);
  return seconds;
}

double compile_worst() {
  use_one_thread();
  double worst = 0;
  for (const char* const name : {"constant_mathematics", "bytes_in_shared_memory", "scattered_halves"}) {
    for (const char* const tier : {"fast", "full"}) worst = std::max(worst, seconds_to_compile(name, tier));
  }
  return worst;
}

/// Processor time of the slowest of three compilations: mathematics of constants, bytes in shared memory, scattered halves.
BAR("stranger_compile_s", "s", at_most(3), compile_worst);

}  // namespace
}  // namespace kmux::bench::strangers
