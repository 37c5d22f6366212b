// The figures of group `jit`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named. With --par this program is one of its own child processes.
#include <string>
#include <vector>

#include "bar_program.h"
#include "jit/eager_bar.h"
#include "jit/measured_bar.h"
#include "jit/par_bars.h"
#include "jit/redis_bar.h"

namespace kmux::bench {
namespace {

const std::vector<Bar> kBars = {
    {"par_cpu64", par_cpu64, "ratio"},
    {"par_nvrtc64", par_nvrtc64, "ratio", missing_nvrtc},
    {"dedupe", dedupe, "compiles"},
    {"eager_over_call", eager_over_call, "ns"},
    {"eager_a_header", eager_a_header, "ns"},
    {"redis_hit", redis_hit, "ms"},
    {"measured_overhead", measured_overhead, "ns"},
};

int main(const std::vector<std::string>& names) {
  if (names.size() == 3 && names[0] == "--par") return par_child(names[1], std::stoi(names[2]));
  return measure_bars("bars_jit", kBars, names);
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_jit", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
