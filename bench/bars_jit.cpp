// The figures of group `jit`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named. With --par this program is one of its own child processes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

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
  try {
    std::printf("bar %s %.3f %s\n", bar.name.c_str(), bar.measure(), bar.unit);
    std::fflush(stdout);
    return true;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bars_jit: %s: %s\n", bar.name.c_str(), failure.what());
    return false;
  }
}

int main(const std::vector<std::string>& names) {
  if (names.size() == 3 && names[0] == "--par") return par_child(names[1], std::stoi(names[2]));
  bool all_ok = true;
  for (const Bar& bar : kBars) {
    if (!names.empty() && std::ranges::find(names, bar.name) == names.end()) continue;
    all_ok = measure(bar) && all_ok;
  }
  return all_ok ? 0 : 1;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  try {
    return kmux::bench::main({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bars_jit: %s\n", failure.what());
    return 1;
  }
}
