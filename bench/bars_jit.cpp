// The figures of group `jit`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named. With --par this program is one of its own child processes.
#include <cstdio>
#include <string>
#include <vector>

#include "bar_program.h"
#include "jit/eager_bar.h"
#include "jit/measured_bar.h"
#include "jit/par_bars.h"
#include "jit/redis_bar.h"

namespace kmux::bench {
namespace {

std::string nothing() { return {}; }

struct Bar {
  std::string name;
  double (*measure)();
  const char* unit;
  std::string (*missing)() = nothing;  // why it cannot be measured here; empty if it can
};

const std::vector<Bar> kBars = {
    {"par_cpu64", par_cpu64, "ratio"}, {"par_nvrtc64", par_nvrtc64, "ratio", missing_nvrtc},
    {"dedupe", dedupe, "compiles"},    {"eager_over_call", eager_over_call, "ns"},
    {"redis_hit", redis_hit, "ms"},    {"measured_overhead", measured_overhead, "ns"},
};

bool measure(const Bar& bar) {
  if (const std::string reason = bar.missing(); !reason.empty()) {
    std::fprintf(stderr, "skipped %s: %s\n", bar.name.c_str(), reason.c_str());
    return true;
  }
  const std::string what = "bars_jit: " + bar.name;
  return told(what.c_str(), [&] { return print_bar(bar.name, bar.measure(), bar.unit), 0; }) == 0;
}

int main(const std::vector<std::string>& names) {
  if (names.size() == 3 && names[0] == "--par") return par_child(names[1], std::stoi(names[2]));
  bool all_ok = true;
  for (const Bar& bar : kBars) {
    if (is_wanted(names, bar.name)) all_ok = measure(bar) && all_ok;
  }
  return all_ok ? 0 : 1;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_jit", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
